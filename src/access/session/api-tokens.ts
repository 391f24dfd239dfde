import { crc32 } from 'node:zlib'
import type { App } from '../../app.ts'
import type { Context, Visitor } from '../actor.ts'
import { auditActor, record } from '../audit/audit.ts'
import { base32 } from '../../platform/lib/base32.ts'
import { createId } from '../../platform/lib/id.ts'
import { randomBytes } from '../../platform/lib/random.ts'
import type { Tx } from '../../platform/store/store.ts'
import { deleteApiToken, deleteApiTokens, insertApiToken, tokenByMac, touchApiToken } from './queries.ts'

const tokenPattern = /^quoin_[0-9A-HJKMNP-TV-Z]{32}$/
const touchIntervalMs = 60_000

export interface NewApiToken {
  owner: string
  name: string
  /** Permissions such as `pages.read`, `pages.*` or `*`. A token never has more permissions than its owner. */
  scopes: string[]
  /** Seconds; without it the token does not expire. */
  lifetime?: number | undefined
}

/**
 * Creates `quoin_`, 130 random bits, and a checksum that lets secret scanners and us tell a token from a typo. The
 * token is returned only here.
 */
export async function createApiToken(ctx: Context, tx: Tx, { owner, name, scopes, lifetime }: NewApiToken) {
  const random = base32(randomBytes(17), 26)
  const token = `quoin_${random}${checksum(random)}`
  const row = { id: createId(), prefix: token.slice(0, 12), name, scopes: JSON.stringify(scopes) }
  const mac = ctx.app.secrets.mac('vault', 'token', token)
  const times = await insertApiToken(
    tx,
    { ...row, token_mac: mac, owner_id: owner },
    lifetime === undefined ? undefined : lifetime * 1000,
  )
  await record(tx, { event: 'auth.token.created', subject: owner, ...auditActor(ctx), detail: { token: row.id } })
  return { ...row, ...times, last_used_at: null, token }
}

/** False if the token does not exist. With `owner`, only that owner's tokens are revoked. */
export async function revokeApiToken(ctx: Context, tx: Tx, id: string, owner?: string): Promise<boolean> {
  const revoked = await deleteApiToken(tx, id, owner)
  if (!revoked) return false
  await record(tx, {
    event: 'auth.token.revoked',
    subject: revoked.owner_id,
    ...auditActor(ctx),
    detail: { token: id },
  })
  return true
}

/** Revokes all tokens of an account, or of all accounts, including stolen ones. Returns how many there were. */
export async function revokeApiTokens(ctx: Context, tx: Tx, owner: string | undefined): Promise<number> {
  const revoked = await deleteApiTokens(tx, owner)
  for (const { id, owner_id: subject } of revoked)
    await record(tx, { event: 'auth.token.revoked', subject, ...auditActor(ctx), detail: { token: id } })
  return revoked.length
}

/**
 * Reads the valid token and its owner from the store. Without a version if that is outdated by noting the use: it is a
 * commit.
 */
export async function findApiToken(app: App, token: string, visitor: Visitor) {
  if (!tokenPattern.test(token) || checksum(token.slice(6, 32)) !== token.slice(32)) return undefined
  const version = app.store.version()?.number
  for (const mac of app.secrets.macs('vault', 'token', token)) {
    const [row] = await tokenByMac(app.store, mac)
    if (!row) continue
    if (row.status !== 'active' || (row.expires_at !== null && row.expires_at <= row.now)) return undefined
    const isDue = row.last_used_at === null || row.now - row.last_used_at >= touchIntervalMs
    if (isDue && !app.store.isWritingLong()) await recordUse(app, row, visitor) // otherwise the next request does
    const found = { user: row, token: { id: row.token_id, scopes: JSON.parse(row.scopes) as string[] } }
    if (isDue) return found
    return {
      ...found,
      version: row.version ?? version,
      cacheableUntil: Math.min(row.last_used_at! + touchIntervalMs, row.expires_at ?? Infinity),
    }
  }
  return undefined
}

async function recordUse(app: App, row: { token_id: string; id: string }, visitor: Visitor): Promise<void> {
  await app.store.write(async tx => {
    if (await touchApiToken(tx, row.token_id, touchIntervalMs)) {
      await record(tx, {
        event: 'auth.token.first-used',
        actor: row.id,
        subject: row.id,
        visitor,
        detail: { token: row.token_id },
      })
    }
  })
}

function checksum(text: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(text))
  return base32(bytes, 6)
}

import { crc32 } from 'node:zlib'
import type { App } from '../../app.ts'
import type { Context, Visitor } from '../actor.ts'
import { auditActor, record } from '../audit/audit.ts'
import { base32 } from '../../platform/lib/base32.ts'
import { createId } from '../../platform/lib/id.ts'
import { randomBytes } from '../../platform/lib/random.ts'
import type { Tx } from '../../platform/store/store.ts'
import { deleteApiToken, deleteApiTokens, insertApiToken, selectToken, updateTokenUse } from './queries.ts'

const tokenPattern = /^quoin_[0-9A-HJKMNP-TV-Z]{32}$/
const randomStart = 'quoin_'.length
const checksumStart = randomStart + 26
/** The beginning that is stored and shown, so that the owner recognises the token. */
const shownLength = 12
/** `last_used_at` is written at most once in this time. */
const lastUsedIntervalMs = 60_000

export interface NewApiToken {
  userId: string
  name: string
  /** Permissions such as `pages.read`, `pages.*` or `*`. A token never has more permissions than its owner. */
  scopes: string[]
  /** Without it the token does not expire. */
  lifetimeSeconds?: number | undefined
}

/**
 * Creates `quoin_`, 130 random bits, and a CRC-32 checksum, so that secret scanners recognise tokens and typos fail
 * without a query. The token is returned only here.
 */
export async function createApiToken(ctx: Context, tx: Tx, { userId, name, scopes, lifetimeSeconds }: NewApiToken) {
  const random = base32(randomBytes(17), 26)
  const token = `quoin_${random}${checksum(random)}`
  const row = { id: createId(), prefix: token.slice(0, shownLength), name, scopes: JSON.stringify(scopes) }
  const mac = ctx.app.secrets.mac('vault', 'token', token)
  const times = await insertApiToken(
    tx,
    { ...row, token_mac: mac, owner_id: userId },
    lifetimeSeconds === undefined ? undefined : lifetimeSeconds * 1000,
  )
  await record(tx, { event: 'auth.token.created', subject: userId, ...auditActor(ctx), detail: { token: row.id } })
  return { ...row, ...times, last_used_at: null, token }
}

/** False if the token does not exist or, with `userId`, if it is one of another account. */
export async function revokeApiToken(ctx: Context, tx: Tx, id: string, userId?: string): Promise<boolean> {
  const revoked = await deleteApiToken(tx, id, userId)
  if (!revoked) return false
  await record(tx, {
    event: 'auth.token.revoked',
    subject: revoked.owner_id,
    ...auditActor(ctx),
    detail: { token: id },
  })
  return true
}

/** Revokes every token of an account; without `userId` those of all accounts. Returns how many there were. */
export async function revokeApiTokens(ctx: Context, tx: Tx, userId: string | undefined): Promise<number> {
  const revoked = await deleteApiTokens(tx, userId)
  for (const { id, owner_id: subject } of revoked)
    await record(tx, { event: 'auth.token.revoked', subject, ...auditActor(ctx), detail: { token: id } })
  return revoked.length
}

/**
 * Reads the valid token and its owner from the store. Returns no `version` if `last_used_at` is due: writing it is a
 * commit, so the caller cannot be cached.
 */
export async function findApiToken(app: App, token: string, visitor: Visitor) {
  if (!tokenPattern.test(token) || checksum(token.slice(randomStart, checksumStart)) !== token.slice(checksumStart))
    return undefined
  const version = app.store.version()?.number
  for (const mac of app.secrets.macs('vault', 'token', token)) {
    const [row] = await selectToken(app.store, mac)
    if (!row) continue
    if (row.status !== 'active' || (row.expires_at !== null && row.expires_at <= row.now)) return undefined
    const isLastUsedDue = row.last_used_at === null || row.now - row.last_used_at >= lastUsedIntervalMs
    if (isLastUsedDue && !app.store.isWritingLong()) await recordUse(app, row, visitor) // otherwise the next request does
    const found = { user: row, token: { id: row.token_id, scopes: JSON.parse(row.scopes) as string[] } }
    if (isLastUsedDue) return found
    return {
      ...found,
      version: row.version ?? version,
      cacheableUntil: Math.min(row.last_used_at! + lastUsedIntervalMs, row.expires_at ?? Infinity),
    }
  }
  return undefined
}

async function recordUse(app: App, row: { token_id: string; id: string }, visitor: Visitor): Promise<void> {
  await app.store.write(async tx => {
    if (await updateTokenUse(tx, row.token_id, lastUsedIntervalMs)) {
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

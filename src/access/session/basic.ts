import { timingSafeEqual } from 'node:crypto'
import type { App } from '../../app.ts'
import type { Visitor } from '../actor.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import { checkPassword, completeBasic } from '../factors/credentials.ts'
import { selectAccountById } from '../factors/queries.ts'
import { type Email, parseEmail } from '../../platform/lib/email.ts'
import { networkOf } from '../../platform/lib/ip.ts'
import { createLruCache, type LruCache } from '../../platform/lib/lru-cache.ts'

const cacheMs = 60_000
const maxCached = 1000

interface CachedCredentials {
  userId: string
  epoch: number
  mac: Buffer
  /** In ms, by `performance.now()`. */
  expiresAt: number
}

/** Cache of verified credentials, per app, so that no entry outlives its app. */
const caches = new WeakMap<App, LruCache<CachedCredentials>>()

/**
 * The account of `Authorization: Basic …`, checked like a sign-in. Polling clients would cost a password hash per
 * request, so correct credentials are cached for a minute; account and epoch are still read from the store every time.
 */
export async function basicAccount(app: App, visitor: Visitor, value: string) {
  const basicAuth = parse(value)
  if (!basicAuth) throw fail('access.login')
  const email = parseEmail(basicAuth.name) ?? (await emailOfId(app, basicAuth.name))
  const cache = caches.get(app) ?? createLruCache<CachedCredentials>(maxCached)
  caches.set(app, cache)
  const mac = Buffer.from(app.secrets.mac('session', 'basic', `${email.key}|${basicAuth.password}`))

  const entry = cache.get(email.key)
  const match = entry && timingSafeEqual(entry.mac, mac) ? entry : undefined
  if (match && match.expiresAt > performance.now()) {
    const [account] = await selectAccountById(app.store, match.userId)
    const isUnchanged = account?.status === 'active' && account.auth_epoch === match.epoch
    if (isUnchanged && account.password_disabled_at === null) return refuseSecondFactor(account)
    cache.delete(email.key)
  }

  const device = `basic|${networkOf(visitor.ip, 32, 64)}` // cannot collide with the value of a device cookie
  const basic = { repeated: match && mac.toString() }
  const credentials = { email, password: basicAuth.password, device, basic }
  const verified = await checkPassword(app, visitor, credentials).catch((error: unknown) => {
    if (match && error instanceof ApiError && error.key === 'access.login') cache.delete(email.key)
    throw error
  })
  const account = await app.store.write(tx => completeBasic(app, tx, verified, device))
  cache.set(email.key, { userId: account.id, epoch: account.auth_epoch, mac, expiresAt: performance.now() + cacheMs })
  return refuseSecondFactor(account)
}

/** The user name may be an account id. An unknown id takes the same path as a wrong password and fails there. */
async function emailOfId(app: App, id: string): Promise<Email> {
  return { address: id, key: (await selectAccountById(app.store, id))[0]?.email_key ?? `id:${id}` }
}

/**
 * Returns the account, or throws if it has a second factor. It is called after a correct password, which reveals that at a
 * sign-in, too.
 */
function refuseSecondFactor<Account extends { second_factor: number }>(account: Account): Account {
  if (account.second_factor === 1) throw fail('auth.needsToken')
  return account
}

function parse(value: string): { name: string; password: string } | undefined {
  const bytes = Buffer.from(value, 'base64')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
  const colon = text.indexOf(':')
  const name = text.slice(0, Math.max(colon, 0))
  return colon < 0 || /\p{Cc}/u.test(name) ? undefined : { name, password: text.slice(colon + 1) }
}

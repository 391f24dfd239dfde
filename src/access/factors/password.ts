import type { App } from '../../app.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import { type Cost, hashArgon2, matchesArgon2, parsePhc, type Phc } from '../../platform/lib/argon2.ts'
import { createId } from '../../platform/lib/id.ts'
import { type LimiterClient, LimiterFull } from '../../platform/lib/concurrency-limiter.ts'
import { type Account, updatePasswordHash } from './queries.ts'

export const maxPasswordLength = { characters: 512, bytes: 2048 }

export function isTooLong(password: string): boolean {
  return codePoints(password) > maxPasswordLength.characters || Buffer.byteLength(password) > maxPasswordLength.bytes
}

/** Counts characters as people do: an emoji or a letter outside the basic plane is one. */
export function codePoints(text: string): number {
  return Array.from(text).length
}

/**
 * Hashes with the current cost and pepper. Pass `client` for unauthenticated requests, which queue by client; other
 * callers are limited elsewhere.
 */
export function hashPassword(
  app: App,
  password: string,
  client: LimiterClient = { name: createId() },
): Promise<string> {
  return inQueue(app, client, () => hashArgon2(password.normalize('NFC'), costOf(app), app.secrets.keys.pepper[0]))
}

/**
 * Takes the same CPU time for no hash, a valid, broken or cheaper one, and a bcrypt hash, so that response times reveal
 * nothing. `maxBcryptCost` is the highest bcrypt cost in the store: while imported hashes exist, every check pays it.
 */
export function matchesPassword(
  app: App,
  client: LimiterClient,
  stored: { hash: string | null; maxBcryptCost: number | null },
  password: string,
): Promise<boolean> {
  const text = password.normalize('NFC')
  const hash = stored.hash ?? ''
  return inQueue(app, client, async () => {
    const byBcrypt =
      stored.maxBcryptCost === null
        ? false
        : await bcryptWork(hash, password, Math.min(stored.maxBcryptCost, maxBcryptCost))
    const byArgon2 = await argon2Work(app, hash, text)
    return byBcrypt || byArgon2
  })
}

/** Replaces, after the response, a hash with other parameters, an older pepper or of bcrypt by a current one. */
export function refreshHash(app: App, { id, password_hash: old }: Account, password: string): void {
  if (old === null || isCurrent(app, old)) return
  app.background(async () => {
    const hash = await hashPassword(app, password).catch((error: unknown) => {
      if (error instanceof ApiError) return undefined // the queue is full: retried at the next sign-in
      throw error
    })
    if (hash !== undefined) await app.store.write(tx => updatePasswordHash(tx, id, old, hash))
  })
}

function isCurrent(app: App, hash: string): boolean {
  const stored = parsePhc(hash)
  const cost = costOf(app)
  return (
    stored !== undefined &&
    stored.memory === cost.memory &&
    stored.passes === cost.passes &&
    stored.parallelism === cost.parallelism &&
    stored.key === app.secrets.keys.pepper[0]!.id
  )
}

/**
 * Rejects an attempt that the queue would refuse anyway before it writes anything: a flood must not slow down others.
 */
export function queueMustHaveRoom(app: App, client: LimiterClient): void {
  if (!app.hashing.hasRoom(client)) throw overloaded(app)
}

async function inQueue<Value>(app: App, client: LimiterClient, work: () => Promise<Value>): Promise<Value> {
  try {
    return await app.hashing.run(client, () => app.worker?.inTurn(work) ?? work())
  } catch (error) {
    throw error instanceof LimiterFull ? overloaded(app) : error
  }
}

function overloaded({ hashing, isOverloadLogDue, log }: App): ApiError {
  if (isOverloadLogDue())
    log.warn({ event: 'auth.hash.overload', waiting: hashing.waiting }, 'password hashing is at its limit')
  return fail('busy').with({
    headers: { 'retry-after': '2' },
    problem: { type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity' },
  })
}

// ---- argon2id

function costOf({ config }: App): Cost {
  return { ...config.auth.argon2, parallelism: 1 }
}

async function argon2Work(app: App, hash: string, password: string): Promise<boolean> {
  const cost = costOf(app)
  const stored = parsePhc(hash)
  const pepper = stored?.key === undefined ? undefined : app.secrets.keys.pepper.find(key => key.id === stored.key)
  if (!stored || (stored.key !== undefined && !pepper)) {
    if (hash && !hash.startsWith('$2'))
      app.log.error({ event: 'auth.hash.unreadable' }, 'a stored password hash cannot be used')
    await hashArgon2(password, cost)
    return false
  }
  const matches = await matchesArgon2(password, stored, pepper?.bytes)
  const missing = missingPasses(stored, cost)
  if (missing > 0) await hashArgon2(password, { ...cost, passes: missing })
  return matches
}

/** How many passes with the current memory cost make up for a cheaper hash. */
function missingPasses(stored: Phc, cost: Cost): number {
  return Math.round((cost.memory * cost.passes - stored.memory * stored.passes) / cost.memory)
}

// ---- bcrypt, of imported accounts

/** A stored hash with a higher cost never matches: each step doubles the work, and 31 would take days. */
const maxBcryptCost = 14

/** Uses the password without Unicode normalisation: the system that made the hash did not normalise it. */
async function bcryptWork(hash: string, password: string, maxCost: number): Promise<boolean> {
  const bcrypt = await import('@node-rs/bcrypt')
  const cost = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash)?.[1]
  if (cost === undefined || Number(cost) > maxCost) {
    await bcrypt.hash(password.replaceAll('\0', ''), maxCost)
    return false
  }
  const matches = await bcrypt.verify(password.replaceAll('\0', ''), hash)
  // Each step of cost doubles the work: the costs c, c, c+1, … maxCost-1 together take as long as maxCost.
  for (let step = Number(cost); step < maxCost; step++) await bcrypt.hash('', step)
  return matches && !password.includes('\0')
}

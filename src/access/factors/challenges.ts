import type { App } from '../../app.ts'
import { type ApiError, fail } from '../../platform/errors.ts'
import { randomToken, isToken } from '../../platform/lib/id.ts'
import type { Tx } from '../../platform/store/store.ts'
import * as queries from './queries.ts'

export type ChallengeKind = 'second-factor' | 'passkey' | 'passkey-registration' | 'reset' | 'invite' | 'email' | 'totp'

/**
 * A flow that starts in one request and ends in another. The handle is a secret like a session token, but its MAC uses
 * another key; it is bound to the account, its epoch and one kind of challenge, and gives no access by itself.
 */
export interface Challenge<Data> {
  mac: string
  /**
   * Null where the account is not known yet, and for a decoy: a challenge for an unknown account that behaves like a
   * real one and never succeeds.
   */
  userId: string | null
  epoch: number
  data: Data
}

interface NewChallenge {
  kind: ChallengeKind
  /** Absent for a decoy, and where the account is not known yet (sign-in with a passkey). */
  user?: { id: string; auth_epoch: number } | undefined
  data: object
  lifetimeMs: number
  maxAttempts: number
}

/** Returns the handle. Only its MAC is stored. */
export async function startChallenge(app: App, tx: Tx, { kind, user, data, lifetimeMs, maxAttempts }: NewChallenge) {
  const handle = randomToken()
  await queries.insertChallenge(
    tx,
    {
      id_mac: app.secrets.mac('session', 'challenge', handle),
      kind,
      user_id: user?.id ?? null,
      auth_epoch: user?.auth_epoch ?? 0,
      data: JSON.stringify(data),
    },
    maxAttempts,
    lifetimeMs,
  )
  return handle
}

/** Also finds expired and used challenges: `countAttempt` checks that. */
export async function findChallenge<Data>(
  app: App,
  kind: ChallengeKind,
  handle: string,
): Promise<Challenge<Data> | undefined> {
  if (!isToken(handle)) return undefined
  for (const mac of app.secrets.macs('session', 'challenge', handle)) {
    const [row] = await queries.selectChallenge(app.store, mac, kind)
    if (!row) continue
    return { mac: row.id_mac, userId: row.user_id, epoch: row.auth_epoch, data: JSON.parse(row.data) as Data }
  }
  return undefined
}

/**
 * Returns how many attempts are left after this one; undefined if the challenge is used, expired or out of attempts.
 */
export async function countAttempt(tx: Tx, { mac }: { mac: string }): Promise<number | undefined> {
  const challenge = await queries.incrementAttempts(tx, mac)
  return challenge && challenge.max_attempts - challenge.attempts
}

export async function consumeChallenge(tx: Tx, { mac }: { mac: string }): Promise<void> {
  await queries.markChallengeUsed(tx, mac)
}

/** Ends a challenge that cannot be finished. The client sees the same response as for an expired one. */
export async function abandonChallenge(app: App, tx: Tx, handle: string): Promise<void> {
  await queries.markChallengeUsed(tx, app.secrets.mac('session', 'challenge', handle))
}

/** The error for a wrong code; `restart` if the challenge is over and the client must start again. */
export function wrongCode(restart: boolean): ApiError {
  return fail('access.code').with({ details: { restart, challengeDestroyed: restart }, problem: { restart } })
}

/** Deletes earlier challenges of this kind, so that only the next one is valid. */
export async function deleteChallenges(tx: Tx, userId: string, kind: ChallengeKind): Promise<void> {
  await queries.deleteChallengesOf(tx, userId, kind)
}

/** Deletes challenges that expired more than five minutes ago. */
export async function sweepChallenges(tx: Tx, limit: number): Promise<number> {
  return queries.deleteExpiredChallenges(tx, 300_000, limit)
}

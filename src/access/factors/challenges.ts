import type { App } from '../../app.ts'
import { type ApiError, fail } from '../../platform/errors.ts'
import { createToken, isToken } from '../../platform/lib/id.ts'
import type { Tx } from '../../platform/store/store.ts'
import * as queries from './queries.ts'

/**
 * What is begun in one request and finished in another. The handle is another kind of secret than a session's token,
 * under another key, bound to the account and its epoch; it opens nothing by itself, and only for its own purpose.
 */
export type ChallengeKind = 'second-factor' | 'passkey' | 'passkey-registration' | 'reset' | 'invite' | 'email' | 'totp'

export interface Challenge<Data> {
  mac: string
  /** Null for a decoy. */
  userId: string | null
  epoch: number
  data: Data
}

interface NewChallenge {
  kind: ChallengeKind
  /** Absent for a decoy, and where nobody is known yet. */
  user?: { id: string; auth_epoch: number } | undefined
  data: object
  /** Milliseconds. */
  lifetime: number
  attempts: number
}

/** Answers with the handle, which is stored nowhere. */
export async function startChallenge(app: App, tx: Tx, { kind, user, data, lifetime, attempts }: NewChallenge) {
  const handle = createToken()
  await queries.insertChallenge(
    tx,
    {
      id_mac: app.secrets.mac('session', 'challenge', handle),
      kind,
      user_id: user?.id ?? null,
      auth_epoch: user?.auth_epoch ?? 0,
      data: JSON.stringify(data),
    },
    attempts,
    lifetime,
  )
  return handle
}

/** Whatever its state: whether it still lives is asked when an attempt is drawn from it. */
export async function findChallenge<Data>(
  app: App,
  kind: ChallengeKind,
  handle: string,
): Promise<Challenge<Data> | undefined> {
  if (!isToken(handle)) return undefined
  for (const mac of app.secrets.macs('session', 'challenge', handle)) {
    const [row] = await queries.challengeByMac(app.store, mac, kind)
    if (!row) continue
    return { mac: row.id_mac, userId: row.user_id, epoch: row.auth_epoch, data: JSON.parse(row.data) as Data }
  }
  return undefined
}

/** How many attempts are left after this one; undefined if the challenge is dead: used, used up or too old. */
export async function drawAttempt(tx: Tx, { mac }: { mac: string }): Promise<number | undefined> {
  const drawn = await queries.drawAttempt(tx, mac)
  return drawn && drawn.max_attempts - drawn.attempts
}

export async function consumeChallenge(tx: Tx, { mac }: { mac: string }): Promise<void> {
  await queries.consumeChallenge(tx, mac)
}

/** Ends one that nobody can finish. To whoever holds the handle it looks like one that is over. */
export async function abandonChallenge(app: App, tx: Tx, handle: string): Promise<void> {
  await queries.consumeChallenge(tx, app.secrets.mac('session', 'challenge', handle))
}

/** A wrong code; `restart` when the challenge is dead and the caller has to begin again. */
export function wrongCode(restart: boolean): ApiError {
  return fail('access.code').with({ details: { restart, challengeDestroyed: restart }, problem: { restart } })
}

/** Ends what was begun for this purpose before: what comes next is the only one that counts. */
export async function dropChallenges(tx: Tx, userId: string, kind: ChallengeKind): Promise<void> {
  await queries.deleteChallenges(tx, userId, kind)
}

/** Dead ones, some time after their death. */
export async function sweepChallenges(tx: Tx, limit: number): Promise<number> {
  return queries.deleteOldChallenges(tx, 300_000, limit)
}

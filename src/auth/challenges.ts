import type { App } from '../app.ts'
import { createToken, isToken } from '../lib/id.ts'
import type { Tx } from '../store/store.ts'
import * as queries from './queries.ts'

const attempts = 5
const lifetime = 300_000

/** What the first step proved, kept for the second. */
export interface FirstStep {
  long: boolean
  /** The session that the challenge confirms, if it is not a new one. */
  reauth?: string
}

/** The first step was right, another one is missing. No cookie has been set. */
export interface StepMissing {
  kind: 'challenge'
  id: string
  methods: string[]
  expiresIn: number
  attemptsLeft: number
}

export interface Challenge {
  mac: string
  userId: string
  epoch: number
  first: FirstStep
}

/**
 * A step is missing: the caller gets a handle, not a session. It is another kind of secret than a session's token, under
 * another key, bound to the account and its epoch; it opens nothing by itself.
 */
export async function startChallenge(app: App, tx: Tx, user: { id: string; auth_epoch: number }, first: FirstStep) {
  const handle = createToken()
  await queries.insertChallenge(
    tx,
    {
      id_mac: app.secrets.mac('session', 'challenge', handle),
      kind: 'second-factor',
      user_id: user.id,
      auth_epoch: user.auth_epoch,
      data: JSON.stringify(first),
    },
    attempts,
    lifetime,
  )
  return { handle, attempts, lifetime }
}

export async function findChallenge(app: App, handle: string): Promise<Challenge | undefined> {
  if (!isToken(handle)) return undefined
  for (const mac of app.secrets.macs('session', 'challenge', handle)) {
    const [row] = await queries.challengeByMac(app.store, mac, 'second-factor')
    if (row?.user_id == null) continue
    return { mac: row.id_mac, userId: row.user_id, epoch: row.auth_epoch, first: JSON.parse(row.data) as FirstStep }
  }
  return undefined
}

/** How many attempts are left after this one; undefined if the challenge is dead. */
export async function drawAttempt(tx: Tx, { mac }: Challenge): Promise<number | undefined> {
  const drawn = await queries.drawAttempt(tx, mac)
  return drawn && drawn.max_attempts - drawn.attempts
}

export async function consumeChallenge(tx: Tx, { mac }: Challenge): Promise<void> {
  await queries.consumeChallenge(tx, mac)
}

export async function sweepChallenges(tx: Tx): Promise<void> {
  await queries.deleteOldChallenges(tx, lifetime)
}

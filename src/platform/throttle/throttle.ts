import type { App } from '../../app.ts'
import { type ApiError, fail } from '../errors.ts'
import type { Tx } from '../store/store.ts'
import { policies, type Policy, type PolicyName } from './policies.ts'
import {
  chargeRate,
  chargeWaits,
  deleteUnseen,
  forget,
  forgetAll,
  lowerFails,
  refundRate,
  refundWaits,
  waitOf,
} from './queries.ts'

/** One bucket that a try draws from. */
export interface Charge {
  policy: PolicyName
  bucket: string
}

/** The table holds keyed hashes only: no address and no e-mail can be read from it. */
export function chargeFor(app: App, policy: PolicyName, value: string): Charge {
  return { policy, bucket: app.secrets.mac('session', 'throttle', `${policy}|${value}`) }
}

/**
 * Draws from all buckets or, by throwing, from none (the transaction is rolled back). Tries are charged before they are
 * judged: parallel guesses gain nothing. Every caller names its buckets in the order ip, net, acct or dev, otp.
 */
export async function charge(app: App, tx: Tx, charges: Charge[]): Promise<void> {
  if (!app.config.auth.throttle) return
  for (const one of charges) {
    if (!(await draw(tx, one))) throw throttled(await waitOf(tx, one.bucket, policies[one.policy]))
  }
}

/** For limits that nobody should notice: false from the first bucket on that is empty. */
export async function isWithin(app: App, tx: Tx, charges: Charge[]): Promise<boolean> {
  if (!app.config.auth.throttle) return true
  for (const one of charges) if (!(await draw(tx, one))) return false
  return true
}

function draw(tx: Tx, { policy: name, bucket }: Charge): Promise<boolean> {
  const policy: Policy = policies[name]
  return policy.kind === 'rate' ? chargeRate(tx, bucket, policy) : chargeWaits(tx, bucket, policy)
}

/** The tries were not judged after all, or were no failures. */
export async function refund(app: App, tx: Tx, charges: Charge[]): Promise<void> {
  if (!app.config.auth.throttle) return
  for (const { policy: name, bucket } of charges) {
    const policy: Policy = policies[name]
    await (policy.kind === 'rate' ? refundRate(tx, bucket, policy) : refundWaits(tx, bucket))
  }
}

/** A success: rates get their try back, waits begin anew. */
export async function settle(app: App, tx: Tx, charges: Charge[]): Promise<void> {
  for (const one of charges) {
    if (policies[one.policy].kind === 'waits') await forget(tx, one.bucket)
    else await refund(app, tx, [one])
  }
}

/** A success that ends no pauses: only the try itself is taken back. */
export async function takeBack(app: App, tx: Tx, charges: Charge[]): Promise<void> {
  for (const one of charges) {
    if (policies[one.policy].kind === 'waits') await lowerFails(tx, one.bucket)
    else await refund(app, tx, [one])
  }
}

/** By somebody who runs the server: whatever was tried is forgotten. */
export async function clear(tx: Tx, charges: Charge[]): Promise<void> {
  for (const { bucket } of charges) await forget(tx, bucket)
}

export async function clearAll(tx: Tx): Promise<void> {
  await forgetAll(tx)
}

/** Buckets that no policy remembers any more. */
export async function sweepThrottle(tx: Tx, limit: number): Promise<number> {
  return deleteUnseen(tx, policies.acct.forget, limit)
}

const coarse = [5, 30, 60, 120, 240, 480, 960, 1920, 3600]

/** The wait is told in coarse steps: an exact one would reveal other people's activity. It is the same for everybody. */
function throttled(wait: number): ApiError {
  const seconds = coarse.find(step => step * 1000 >= wait) ?? 3600
  return fail('auth.throttled', { seconds: String(seconds) }).with({
    headers: {
      'retry-after': String(seconds),
      'ratelimit-policy': '"login";q=5;w=900',
      ratelimit: `"login";r=0;t=${seconds}`,
    },
    problem: {
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      'violated-policies': ['login'],
    },
  })
}

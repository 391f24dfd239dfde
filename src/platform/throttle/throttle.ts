import type { Runtime } from '../runtime.ts'
import { type ApiError, fail } from '../errors.ts'
import type { Tx } from '../store/store.ts'
import { policies, type Policy, type PolicyName } from './policies.ts'
import {
  type Bucket,
  chargeBuckets,
  deleteUnseen,
  deleteBucket,
  deleteAllBuckets,
  lowerFails,
  refundRate,
  refundWaits,
  selectBucketWait,
} from './queries.ts'

/** One bucket that an attempt is counted in. */
export interface Charge {
  policy: PolicyName
  bucket: string
}

/** The table has keyed hashes only: no IP address and no e-mail address can be read from it. */
export function chargeFor(app: Runtime, policy: PolicyName, value: string): Charge {
  return { policy, bucket: app.secrets.mac('session', 'throttle', `${policy}|${value}`) }
}

/**
 * Charges all buckets or, by throwing, none (the transaction is rolled back). Attempts are charged before they are
 * checked, so that parallel guesses gain nothing. Every caller lists its buckets in the order ip, net, acct or dev,
 * otp, so that transactions do not deadlock.
 */
export async function charge(app: Runtime, tx: Tx, charges: Charge[]): Promise<void> {
  if (!app.config.auth.throttle) return
  const charged = await chargeBuckets(tx, charges.map(bucketOf))
  const refused = charges.find(({ bucket }) => !charged.has(bucket))
  if (refused) throw throttled(await selectBucketWait(tx, refused.bucket, policies[refused.policy]))
}

/** For limits that must not be visible in the response: returns false at the first empty bucket. */
export async function isWithin(app: Runtime, tx: Tx, charges: Charge[]): Promise<boolean> {
  if (!app.config.auth.throttle) return true
  for (const one of charges) if ((await chargeBuckets(tx, [bucketOf(one)])).size === 0) return false
  return true
}

const bucketOf = ({ policy, bucket }: Charge): Bucket => ({ bucket, policy: policies[policy] })

/** The attempts were not checked after all, or were no failures. */
export async function refund(app: Runtime, tx: Tx, charges: Charge[]): Promise<void> {
  if (!app.config.auth.throttle) return
  for (const { policy: name, bucket } of charges) {
    const policy: Policy = policies[name]
    await (policy.kind === 'rate' ? refundRate(tx, bucket, policy) : refundWaits(tx, { bucket }))
  }
}

/** After a success: rates get the attempt back, waits are reset. */
export async function resetAfterSuccess(app: Runtime, tx: Tx, charges: Charge[]): Promise<void> {
  for (const one of charges) {
    if (policies[one.policy].kind === 'waits') await deleteBucket(tx, { bucket: one.bucket })
    else await refund(app, tx, [one])
  }
}

/** After a success that must not end a wait: only the attempt itself is taken back. */
export async function refundAfterSuccess(app: Runtime, tx: Tx, charges: Charge[]): Promise<void> {
  for (const one of charges) {
    if (policies[one.policy].kind === 'waits') await lowerFails(tx, { bucket: one.bucket })
    else await refund(app, tx, [one])
  }
}

/** Used by operators of the server: forgets the attempts in these buckets. */
export async function clear(tx: Tx, charges: Charge[]): Promise<void> {
  for (const { bucket } of charges) await deleteBucket(tx, { bucket })
}

export async function clearAll(tx: Tx): Promise<void> {
  await deleteAllBuckets(tx)
}

/** Deletes buckets that are older than any policy needs, and returns their number. */
export async function sweepThrottle(tx: Tx, limit: number): Promise<number> {
  return deleteUnseen(tx, policies.acct.forget, limit)
}

const coarse = [5, 30, 60, 120, 240, 480, 960, 1920, 3600]

/**
 * The wait is reported in coarse steps, the same for every caller: an exact one would reveal other people's activity.
 */
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

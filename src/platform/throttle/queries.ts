import { type RawBuilder, sql } from 'kysely'
import { deferredIn, now, type Tx } from '../store/store.ts'
import type { Policy } from './policies.ts'

type Rate = Extract<Policy, { kind: 'rate' }>
type Waits = Extract<Policy, { kind: 'waits' }>

const emission = ({ limit, period }: Rate) => Math.ceil(period / limit)

/** A bucket that is fuller than possible was written by a clock that was ahead: it counts as almost full. */
const later = ({ period }: Rate, step: number) => sql<number>`case
  when throttle.tat > ${now} + ${sql.lit(period)} then ${now} + ${sql.lit(period - step)}
  when throttle.tat > ${now} then throttle.tat
  else ${now} end`

/** A bucket and the policy that it follows. */
export interface Bucket {
  bucket: string
  policy: Policy
}

/**
 * One conditional statement for all buckets, so that parallel attempts cannot pass together. Locks them in the given
 * order. Returns those that were charged; the others were refused, and have not changed.
 */
export async function chargeBuckets(tx: Tx, buckets: readonly Bucket[]): Promise<Set<string>> {
  const rows = await tx
    .insertInto('throttle')
    .values(
      buckets.map(({ bucket, policy }) => ({
        bucket,
        tat: policy.kind === 'rate' ? sql<number>`${now} + ${sql.lit(emission(policy))}` : 0,
        fails: policy.kind === 'rate' ? 0 : 1,
        blocked_until: 0,
        seen_at: now,
      })),
    )
    .onConflict(conflict =>
      conflict
        .column('bucket')
        .doUpdateSet({
          tat: perBucket(buckets, ({ policy }) => (policy.kind === 'rate' ? nextTat(policy) : sql`throttle.tat`)),
          fails: perBucket(buckets, ({ policy }) => (policy.kind === 'rate' ? sql`throttle.fails` : nextFails(policy))),
          blocked_until: perBucket(buckets, ({ policy }) =>
            policy.kind === 'rate'
              ? sql`throttle.blocked_until`
              : sql`${now} + ${waitAfter(nextFails(policy), policy)}`,
          ),
          seen_at: now,
        })
        .where(perBucket<boolean>(buckets, ({ policy }) => isFree(policy))),
    )
    .returning('bucket')
    .execute()
  return new Set(rows.map(({ bucket }) => bucket))
}

const perBucket = <Value = number>(buckets: readonly Bucket[], value: (of: Bucket) => RawBuilder<unknown>) =>
  sql<Value>`case throttle.bucket ${sql.join(
    buckets.map(one => sql`when ${one.bucket} then ${value(one)}`),
    sql` `,
  )} end`

const nextTat = (policy: Rate) => sql`${later(policy, emission(policy))} + ${sql.lit(emission(policy))}`

const nextFails = ({ forget: since }: Waits) =>
  sql<number>`case when throttle.seen_at < ${now} - ${sql.lit(since)} then 1 else throttle.fails + 1 end`

/** A wait longer than the longest one was set by a clock that was ahead. */
const isFree = (policy: Policy) =>
  policy.kind === 'rate'
    ? sql`${nextTat(policy)} - ${now} <= ${sql.lit(policy.period)}`
    : sql`(throttle.blocked_until <= ${now} or throttle.blocked_until > ${now} + ${sql.lit(Math.max(...policy.waits))})`

/** The wait after the given number of attempts: none for the free ones, then one step after the other. */
function waitAfter(fails: RawBuilder<number>, { free, waits }: Waits): RawBuilder<number> {
  const steps = waits.map((wait, index) => sql`when (${fails}) = ${sql.lit(free + index)} then ${sql.lit(wait)}`)
  return sql<number>`case when (${fails}) < ${sql.lit(free)} then 0 ${sql.join(steps, sql` `)} else ${sql.lit(waits.at(-1)!)} end`
}

export async function refundRate(tx: Tx, bucket: string, policy: Rate): Promise<void> {
  await lowerTat(tx, { bucket, step: emission(policy) })
}

const lowerTat = deferredIn<{ bucket: string; step: number }>()(['bucket', 'step'], (db, { bucket, step }) =>
  db
    .updateTable('throttle')
    .set({ tat: sql`throttle.tat - ${step}` })
    .where('bucket', '=', bucket),
)

/** Takes one attempt back. It was allowed, so there was no wait before it. */
export const refundWaits = deferredIn<{ bucket: string }>()(['bucket'], (db, { bucket }) =>
  db
    .updateTable('throttle')
    .set({ fails: sql`throttle.fails - 1`, blocked_until: 0 })
    .where('bucket', '=', bucket),
)

/** Takes one attempt back, and leaves a wait as it is: it may result from an attempt of another client. */
export const lowerFails = deferredIn<{ bucket: string }>()(['bucket'], (db, { bucket }) =>
  db
    .updateTable('throttle')
    .set({ fails: sql`throttle.fails - 1` })
    .where('bucket', '=', bucket)
    .where('fails', '>', 0),
)

export async function deleteAllBuckets(tx: Tx): Promise<void> {
  await tx.deleteFrom('throttle').execute()
}

export const deleteBucket = deferredIn<{ bucket: string }>()(['bucket'], (db, { bucket }) =>
  db.deleteFrom('throttle').where('bucket', '=', bucket),
)

/** Milliseconds until the next attempt is allowed. */
export async function selectBucketWait(tx: Tx, bucket: string, policy: Policy): Promise<number> {
  const until =
    policy.kind === 'rate'
      ? sql<number>`tat + ${sql.lit(emission(policy) - policy.period)}`
      : sql<number>`blocked_until`
  const row = await tx
    .selectFrom('throttle')
    .select(sql<number>`${until} - ${now}`.as('wait'))
    .where('bucket', '=', bucket)
    .executeTakeFirst()
  return row?.wait ?? 0
}

export async function deleteUnseen(tx: Tx, since: number, limit: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('throttle')
    .where('bucket', 'in', old =>
      old
        .selectFrom('throttle')
        .select('bucket')
        .where('seen_at', '<', sql<number>`${now} - ${sql.lit(since)}`)
        .orderBy('seen_at')
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

import { type RawBuilder, sql } from 'kysely'
import { now, type Tx } from '../store/store.ts'
import type { Policy } from './policies.ts'

type Rate = Extract<Policy, { kind: 'rate' }>
type Waits = Extract<Policy, { kind: 'waits' }>

const emission = ({ limit, period }: Rate) => Math.ceil(period / limit)

/** A bucket that is fuller than possible was written by a clock that was ahead: it counts as almost full. */
const later = ({ period }: Rate, step: number) => sql<number>`case
  when throttle.tat > ${now} + ${sql.lit(period)} then ${now} + ${sql.lit(period - step)}
  when throttle.tat > ${now} then throttle.tat
  else ${now} end`

/** One conditional statement, so that parallel attempts cannot pass together. False: refused, nothing changed. */
export async function chargeRate(tx: Tx, bucket: string, policy: Rate): Promise<boolean> {
  const step = emission(policy)
  const full = later(policy, step)
  const rows = await tx
    .insertInto('throttle')
    .values({ bucket, tat: sql`${now} + ${sql.lit(step)}`, fails: 0, blocked_until: 0, seen_at: now })
    .onConflict(conflict =>
      conflict
        .column('bucket')
        .doUpdateSet({ tat: sql`${full} + ${sql.lit(step)}`, seen_at: now })
        .where(sql<boolean>`${full} + ${sql.lit(step)} - ${now} <= ${sql.lit(policy.period)}`),
    )
    .returning('bucket')
    .execute()
  return rows.length > 0
}

export async function refundRate(tx: Tx, bucket: string, policy: Rate): Promise<void> {
  await tx
    .updateTable('throttle')
    .set({ tat: sql`throttle.tat - ${sql.lit(emission(policy))}` })
    .where('bucket', '=', bucket)
    .execute()
}

export async function chargeWaits(tx: Tx, bucket: string, policy: Waits): Promise<boolean> {
  const fails = sql<number>`case when throttle.seen_at < ${now} - ${sql.lit(policy.forget)} then 1 else throttle.fails + 1 end`
  const rows = await tx
    .insertInto('throttle')
    .values({ bucket, tat: 0, fails: 1, blocked_until: 0, seen_at: now })
    .onConflict(conflict =>
      conflict
        .column('bucket')
        .doUpdateSet({ fails, blocked_until: sql`${now} + ${waitAfter(fails, policy)}`, seen_at: now })
        .where(
          // A wait longer than the longest one was set by a clock that was ahead.
          sql<boolean>`(throttle.blocked_until <= ${now} or throttle.blocked_until > ${now} + ${sql.lit(Math.max(...policy.waits))})`,
        ),
    )
    .returning('bucket')
    .execute()
  return rows.length > 0
}

/** The wait after the given number of attempts: none for the free ones, then one step after the other. */
function waitAfter(fails: RawBuilder<number>, { free, waits }: Waits): RawBuilder<number> {
  const steps = waits.map((wait, index) => sql`when (${fails}) = ${sql.lit(free + index)} then ${sql.lit(wait)}`)
  return sql<number>`case when (${fails}) < ${sql.lit(free)} then 0 ${sql.join(steps, sql` `)} else ${sql.lit(waits.at(-1)!)} end`
}

/** Takes one attempt back. It was allowed, so there was no wait before it. */
export async function refundWaits(tx: Tx, bucket: string): Promise<void> {
  await tx
    .updateTable('throttle')
    .set({ fails: sql`throttle.fails - 1`, blocked_until: 0 })
    .where('bucket', '=', bucket)
    .execute()
}

/** Takes one attempt back, and leaves a wait as it is: it may result from an attempt of another client. */
export async function lowerFails(tx: Tx, bucket: string): Promise<void> {
  await tx
    .updateTable('throttle')
    .set({ fails: sql`throttle.fails - 1` })
    .where('bucket', '=', bucket)
    .where('fails', '>', 0)
    .execute()
}

export async function forgetAll(tx: Tx): Promise<void> {
  await tx.deleteFrom('throttle').execute()
}

export async function forget(tx: Tx, bucket: string): Promise<void> {
  await tx.deleteFrom('throttle').where('bucket', '=', bucket).execute()
}

/** Milliseconds until the next attempt is allowed. */
export async function waitOf(tx: Tx, bucket: string, policy: Policy): Promise<number> {
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

import { type Kysely, sql } from 'kysely'
import { isIn, isPostgres, type ListParameter } from '../store/among.ts'
import type { Database } from '../store/schema.ts'
import { now, prepared, type Tx } from '../store/store.ts'

interface InsertedJob {
  id: string
  queue: string
  lane: string | null
  payload: string
  sealed: number
  delay: number
}

export async function insertJob(tx: Tx, { delay, ...job }: InsertedJob): Promise<void> {
  const times = { due_at: sql<number>`${now} + ${sql.lit(delay)}`, created_at: now, finished_at: null }
  await tx
    .insertInto('jobs')
    .values({ ...job, ...times, problem: null, result: null })
    .execute()
}

// ---- claiming

/** The job without a lane that has been due for the longest time. */
export const selectDueJob = prepared((db, queue: string) =>
  db
    .selectFrom('jobs')
    .select('number')
    .where('queue', '=', queue)
    .where('finished_at', 'is', null)
    .where('lane', 'is', null)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('number')
    .limit(1),
)

/**
 * The lanes that are not busy and whose first job is due, longest first. Goes from lane to lane in the index: the time
 * depends on the number of lanes, not on the number of waiting jobs.
 */
export const selectDueLanes = prepared((db, queue: string, limit: number) =>
  db
    .selectFrom(
      sql<{ lane: string; due_at: number }>`(
        with recursive lanes (lane) as (
          select min(jobs.lane) from jobs where jobs.queue = ${queue} and jobs.finished_at is null
          union all
          select (
            select min(jobs.lane) from jobs
            where jobs.queue = ${queue} and jobs.finished_at is null and jobs.lane > lanes.lane
          ) from lanes where lanes.lane is not null
        )
        select lane, (
          select jobs.due_at from jobs
          where jobs.queue = ${queue} and jobs.finished_at is null and jobs.lane = lanes.lane
          order by jobs.number limit 1
        ) as due_at
        from lanes
        where lane is not null and not exists (
          select 1 from job_lanes
          where job_lanes.queue = ${queue} and job_lanes.lane = lanes.lane and job_lanes.busy_until > ${now}
        )
      )`.as('heads'),
    )
    .select('lane')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit),
)

/**
 * The same for queues with a lane for each of many things: the time depends on the number of due jobs that wait behind
 * others of their lane, not on the number of lanes.
 */
export const selectDueOfManyLanes = prepared((db, queue: string, limit: number) =>
  dueOfManyLanes(db, queue).limit(limit),
)

/** The same for lanes of some kinds only: what is before `|` in their names, or the whole name. */
export const selectDueOfKinds = prepared((db, queue: string, kinds: ListParameter, limit: number) =>
  dueOfManyLanes(db, queue)
    .where(isIn(db, kindOf(db), kinds))
    .limit(limit),
)

const kindOf = (db: Kysely<Database>) =>
  isPostgres(db)
    ? sql<string>`split_part(jobs.lane, '|', 1)`
    : sql<string>`substr(jobs.lane, 1, instr(jobs.lane || '|', '|') - 1)`

const dueOfManyLanes = (db: Kysely<Database>, queue: string) =>
  db
    .selectFrom('jobs')
    .select(sql<string>`jobs.lane`.as('lane'))
    .where('jobs.queue', '=', queue)
    .where('jobs.finished_at', 'is', null)
    .where('jobs.due_at', '<=', now)
    // While PostgreSQL has no statistics of the table, it would read all jobs of the queue here: instead of joining it
    // computes a value, and it finds the lane in its index, because an expression of the queue has none.
    .where('jobs.number', '=', eb =>
      eb
        .selectFrom('jobs as first')
        .select(first => first.fn.min('first.number').as('number'))
        .where(sql`first.queue || ''`, '=', eb.ref('jobs.queue'))
        .whereRef('first.lane', '=', 'jobs.lane')
        .where('first.finished_at', 'is', null),
    )
    .where(eb =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('job_lanes')
            .select('job_lanes.lane')
            .whereRef('job_lanes.queue', '=', 'jobs.queue')
            .whereRef('job_lanes.lane', '=', 'jobs.lane')
            .where('job_lanes.busy_until', '>', now),
        ),
      ),
    )
    .orderBy('jobs.due_at')
    .orderBy('jobs.number')

/** The lane, if it is not busy and its first job is due. */
export const selectDueLane = prepared((db, queue: string, lane: string) =>
  db
    .selectFrom('jobs')
    .select(sql<string>`jobs.lane`.as('lane'))
    .where('jobs.number', '=', eb =>
      eb
        .selectFrom('jobs as first')
        .select(first => first.fn.min('first.number').as('number'))
        .where('first.queue', '=', queue)
        .where('first.lane', '=', lane)
        .where('first.finished_at', 'is', null),
    )
    .where('jobs.due_at', '<=', now)
    .where(eb =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('job_lanes')
            .select('job_lanes.lane')
            .whereRef('job_lanes.queue', '=', 'jobs.queue')
            .whereRef('job_lanes.lane', '=', 'jobs.lane')
            .where('job_lanes.busy_until', '>', now),
        ),
      ),
    ),
)

export interface ClaimedJob {
  number: number
  id: string
  lane: string | null
  payload: string
  sealed: number
  /** Includes this attempt. Together with the number it identifies the claim: another process that claims it raises it. */
  attempts: number
  /** What the worker wanted to keep about the last attempt. */
  result: string | null
  /** Time since the job was inserted, in ms. */
  age: number
}

/** Undefined if another process was faster. Others may claim the job when the lease is over. */
export async function claimJob(tx: Tx, number: number, lease: number): Promise<ClaimedJob | undefined> {
  return tx
    .updateTable('jobs')
    .set({ attempts: sql`attempts + 1`, due_at: sql`${now} + ${sql.lit(lease)}` })
    .where('number', '=', number)
    .where('finished_at', 'is', null)
    .where('due_at', '<=', now)
    .returning([
      'number',
      'id',
      'lane',
      'payload',
      'sealed',
      'attempts',
      'result',
      sql<number>`${now} - created_at`.as('age'),
    ])
    .executeTakeFirst()
}

/**
 * Claims the first job of a lane, and the lane with it. On PostgreSQL a job with a smaller number may be committed
 * later, so a lease of the job alone would not keep another process from running two jobs of a lane at once.
 */
export async function claimLane(tx: Tx, queue: string, lane: string, lease: number): Promise<ClaimedJob | undefined> {
  const busyUntil = sql<number>`${now} + ${sql.lit(lease)}`
  const claimed = await tx
    .insertInto('job_lanes')
    .values({ queue, lane, busy_until: busyUntil })
    .onConflict(conflict =>
      conflict
        .columns(['queue', 'lane'])
        .doUpdateSet({ busy_until: busyUntil })
        .where('job_lanes.busy_until', '<=', now),
    )
    .returning('lane')
    .executeTakeFirst()
  if (!claimed) return undefined
  const first = await tx
    .selectFrom('jobs')
    .select('number')
    .where('queue', '=', queue)
    .where('lane', '=', lane)
    .where('finished_at', 'is', null)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst()
  const job = first && (await claimJob(tx, first.number, lease))
  if (!job) await releaseLane(tx, queue, lane)
  return job
}

/** False if the lease was lost: another process has claimed the job in the meantime. */
export async function renewJob(tx: Tx, queue: string, job: ClaimedJob, lease: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('jobs')
    .set({ due_at: sql`${now} + ${sql.lit(lease)}` })
    .where('number', '=', job.number)
    .where('attempts', '=', job.attempts)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  if (job.lane !== null)
    await tx
      .updateTable('job_lanes')
      .set({ busy_until: sql`${now} + ${sql.lit(lease)}` })
      .where('queue', '=', queue)
      .where('lane', '=', job.lane)
      .execute()
  return true
}

export async function releaseLane(tx: Tx, queue: string, lane: string): Promise<void> {
  await tx.updateTable('job_lanes').set({ busy_until: 0 }).where('queue', '=', queue).where('lane', '=', lane).execute()
}

// ---- the end of an attempt; each is false if the lease was lost

type Claim = Pick<ClaimedJob, 'number' | 'attempts'>

export async function postponeJob(
  tx: Tx,
  claim: Claim,
  wait: number,
  { problem, result }: { problem: string; result: string | null },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('jobs')
    .set({ due_at: sql`${now} + ${sql.lit(Math.round(wait))}`, problem, result })
    .where('number', '=', claim.number)
    .where('attempts', '=', claim.attempts)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * The jobs behind one that was postponed wait as long: `selectDueOfManyLanes` would look at each of them again and again.
 */
export async function postponeLane(tx: Tx, queue: string, { lane, number }: ClaimedJob, wait: number): Promise<void> {
  const due = sql<number>`${now} + ${sql.lit(Math.round(wait))}`
  await tx
    .updateTable('jobs')
    .set({ due_at: due })
    .where('queue', '=', queue)
    .where('lane', '=', lane)
    .where('finished_at', 'is', null)
    .where('number', '>', number)
    .where('due_at', '<', due)
    .execute()
}

/** Keeps the job, and never runs it again. */
export async function finishJob(
  tx: Tx,
  claim: Claim,
  { problem, result }: { problem: string | null; result: string | null },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('jobs')
    .set({ finished_at: now, problem, result })
    .where('number', '=', claim.number)
    .where('attempts', '=', claim.attempts)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteJob(tx: Tx, claim: Claim): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('jobs')
    .where('number', '=', claim.number)
    .where('attempts', '=', claim.attempts)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

// ---- timing and retention

/** How many jobs of each queue wait, whether they are due or not. */
export const countWaitingByQueue = prepared(db =>
  db
    .selectFrom('jobs')
    .select(['queue', eb => eb.fn.countAll<number>().as('count')])
    .where('finished_at', 'is', null)
    .groupBy('queue'),
)

/** How long until the next job that is not due yet, in ms. */
export const selectNextDue = prepared((db, queue: string) =>
  db
    .selectFrom('jobs')
    .select(sql<number>`due_at - ${now}`.as('wait'))
    .where('queue', '=', queue)
    .where('finished_at', 'is', null)
    .where('due_at', '>', now)
    .orderBy('due_at')
    .limit(1),
)

export async function deleteOldJobs(tx: Tx, age: number, limit: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('jobs')
    .where('number', 'in', old =>
      old
        .selectFrom('jobs')
        .select('number')
        .where('created_at', '<', sql<number>`${now} - ${sql.lit(age)}`)
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes lanes without a job that waits or runs, and returns their number. */
export async function deleteUnusedLanes(tx: Tx, limit: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('job_lanes')
    .where(
      eb => eb.refTuple('queue', 'lane'),
      'in',
      unused =>
        unused
          .selectFrom('job_lanes as lanes')
          .select(['lanes.queue', 'lanes.lane'])
          .where('lanes.busy_until', '<=', now)
          .where(eb =>
            eb.not(
              eb.exists(
                eb
                  .selectFrom('jobs')
                  .select('number')
                  .whereRef('jobs.queue', '=', 'lanes.queue')
                  .whereRef('jobs.lane', '=', 'lanes.lane')
                  .where('finished_at', 'is', null),
              ),
            ),
          )
          .limit(limit)
          .$asTuple('queue', 'lane'),
    )
    .where('busy_until', '<=', now) // it may have been claimed meanwhile
    .executeTakeFirst()
  return Number(numDeletedRows)
}

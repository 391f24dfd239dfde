import { sql } from 'kysely'
import { now, prepared, type Store, type Tx } from '../../../platform/store/store.ts'
import type { SubscriptionsTable } from '../../../platform/store/tables/jobs.ts'

const prefix = 'extension:'

/** Each extension has its own queue: a process without the extension leaves its jobs to others. */
export const queueOf = (extension: string) => prefix + extension
export const subscriptionOf = (extension: string, handler: string) => `${queueOf(extension)}:${handler}`

/** Runs of one job are one after the other. */
export const laneOfJob = (job: string) => `job:${job}`

const againSuffix = '|again'

/** What is run again by hand does not wait behind what fails. */
export const laneOfAgain = (lane: string) => `${parseRunLane(lane).subscription}${againSuffix}`

export function parseRunLane(lane: string): { subscription: string; isAgain: boolean } {
  return { subscription: lane.slice(0, lane.indexOf('|')), isAgain: lane.endsWith(againSuffix) }
}

/** The name of the handler that the lane belongs to. */
export const handlerOf = (extension: string, lane: string) =>
  parseRunLane(lane).subscription.slice(subscriptionOf(extension, '').length)

// ---- what is declared

export type Subscription = Pick<SubscriptionsTable, 'id' | 'queue' | 'events' | 'templates' | 'languages'>

const subscriptionRows = prepared(db =>
  db
    .selectFrom('subscriptions')
    .select(['id', 'queue', 'events', 'templates', 'languages'])
    .where('queue', 'like', `${prefix}%`)
    .orderBy('id'),
)

export const selectSubscriptions = async (store: Store): Promise<Subscription[]> => subscriptionRows(store)

export async function upsertSubscription(tx: Tx, { id, ...row }: Subscription): Promise<void> {
  const values = { ...row, is_active: 1, delay: 0, lanes: 'subject' as const }
  await tx
    .insertInto('subscriptions')
    .values({ id, ...values })
    .onConflict(conflict => conflict.column('id').doUpdateSet(values))
    .execute()
}

/** A job of this queue says that a server has started without a part, its lane; nothing runs it. */
export const removedQueue = 'removed extensions'

/** The name of a job that runs at certain times among the parts of extensions; no handler is called so. */
export const partOfJob = (extension: string, job: string) => subscriptionOf(extension, laneOfJob(job))

/** A handler or a job of an extension, as far as the store knows it. */
export interface KnownPart {
  extension: string
  /** The id of the subscription of a handler, or `partOfJob`. */
  part: string
  /** Null for a handler. */
  job: string | null
  /** When what belongs to it may be deleted; null if no server has started without it. */
  forgottenAt: number | null
  /** By the clock of the store. */
  now: number
}

const knownRows = prepared(db =>
  db
    .selectFrom(
      db
        .selectFrom('subscriptions')
        .select([
          sql<string>`substr(queue, ${sql.lit(prefix.length + 1)})`.as('extension'),
          'id as part',
          sql<string | null>`cast(null as text)`.as('job'),
        ])
        .where('queue', 'like', `${prefix}%`)
        .unionAll(
          db
            .selectFrom('extension_schedules')
            .select([
              'extension',
              sql<string>`${sql.lit(prefix)} || extension || ${sql.lit(`:${laneOfJob('')}`)} || job`.as('part'),
              sql<string | null>`job`.as('job'),
            ]),
        )
        .as('known'),
    )
    .leftJoin('jobs', join => join.onRef('jobs.lane', '=', 'known.part').on('jobs.queue', '=', removedQueue))
    .select(({ fn }) => ['known.extension', 'part', 'job', fn.min('jobs.due_at').as('forgottenAt'), now.as('now')])
    .groupBy(['known.extension', 'part', 'job'])
    .orderBy('part'),
)

/** The subscriptions and schedules of extensions. */
export const selectKnownParts = async (store: Store): Promise<KnownPart[]> => knownRows(store)

export async function deleteRemovalMark(tx: Tx, part: string): Promise<void> {
  await tx.deleteFrom('jobs').where('queue', '=', removedQueue).where('lane', '=', part).execute()
}

/** Deletes a handler or a schedule, and everything that waits for it. */
export async function deletePart(tx: Tx, { extension, part, job }: KnownPart): Promise<void> {
  const runs = tx.deleteFrom('jobs').where('queue', '=', queueOf(extension))
  if (job !== null) {
    await tx.deleteFrom('extension_schedules').where('extension', '=', extension).where('job', '=', job).execute()
    await runs.where('lane', '=', laneOfJob(job)).execute()
  } else {
    await tx.deleteFrom('subscriptions').where('id', '=', part).execute()
    const lanes = `${part}|`
    await runs.where(sql`substr(lane, 1, ${sql.lit(lanes.length)})`, '=', lanes).execute()
  }
}

// ---- when jobs run

export interface ScheduleRow {
  extension: string
  job: string
  next_at: number
  last_at: number | null
  /** When it was read, by the clock of the store. */
  now: number
}

const scheduleRows = prepared(db =>
  db.selectFrom('extension_schedules').select(['extension', 'job', 'next_at', 'last_at', now.as('now')]),
)

export const selectJobSchedules = async (store: Store): Promise<ScheduleRow[]> => scheduleRows(store)

type JobKey = Pick<ScheduleRow, 'extension' | 'job'>

export async function upsertJobSchedule(tx: Tx, { extension, job }: JobKey, nextAt: number): Promise<void> {
  await tx
    .insertInto('extension_schedules')
    .values({ extension, job, next_at: nextAt, last_at: null })
    .onConflict(conflict => conflict.columns(['extension', 'job']).doUpdateSet({ next_at: nextAt }))
    .execute()
}

/** False if another process was faster. */
export async function claimNextRun(tx: Tx, { extension, job, next_at }: ScheduleRow, next: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('extension_schedules')
    .set({ next_at: next, last_at: next_at })
    .where('extension', '=', extension)
    .where('job', '=', job)
    .where('next_at', '=', next_at)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Whether a job of the lane waits or runs. */
export async function hasUnfinished(tx: Tx, queue: string, lane: string): Promise<boolean> {
  const found = await tx
    .selectFrom('jobs')
    .select('number')
    .where('queue', '=', queue)
    .where('lane', '=', lane)
    .where('finished_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

// ---- runs

export interface RunRow {
  id: string
  lane: string | null
  payload: string
  attempts: number
  due_at: number
  created_at: number
  finished_at: number | null
  problem: string | null
  result: string | null
}

const runColumns = [
  'id', 'lane', 'payload', 'attempts', 'due_at', 'created_at', 'finished_at', 'problem', 'result',
] as const // prettier-ignore

const runRows = prepared((db, queue: string, limit: number) =>
  db.selectFrom('jobs').select(runColumns).where('queue', '=', queue).orderBy('number', 'desc').limit(limit),
)

export const selectLastRuns = async (store: Store, queue: string, limit: number): Promise<RunRow[]> =>
  runRows(store, queue, limit)

const runRow = prepared((db, queue: string, id: string) =>
  db.selectFrom('jobs').select(runColumns).where('queue', '=', queue).where('id', '=', id),
)

export const selectRun = async (store: Store, queue: string, id: string): Promise<RunRow | undefined> =>
  (await runRow(store, queue, id))[0]

/** How many runs of each queue wait, and how many have failed. */
const selectCounts = prepared(db =>
  db
    .selectFrom('jobs')
    .select([
      'queue',
      sql<number>`cast(sum(case when finished_at is null then 1 else 0 end) as integer)`.as('waiting'),
      sql<number>`cast(sum(case when finished_at is not null and problem is not null then 1 else 0 end) as integer)`.as(
        'failed',
      ),
    ])
    .where('queue', 'like', `${prefix}%`)
    .groupBy('queue'),
)

export const countRuns = async (store: Store) => new Map((await selectCounts(store)).map(row => [row.queue, row]))

/** Deletes finished runs except the last ones. */
export async function deleteOldRuns(tx: Tx, queue: string, keep: number): Promise<void> {
  await tx
    .deleteFrom('jobs')
    .where('queue', '=', queue)
    .where('finished_at', 'is not', null)
    .where('number', '<', eb =>
      eb
        .selectFrom('jobs as kept')
        .select('kept.number')
        .where('kept.queue', '=', queue)
        .where('kept.finished_at', 'is not', null)
        .orderBy('kept.number', 'desc')
        .limit(1)
        .offset(keep - 1),
    )
    .execute()
}

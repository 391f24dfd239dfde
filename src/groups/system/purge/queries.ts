import { prepared, type Store, type Tx } from '../../../platform/store/store.ts'

export const purgeQueue = 'purge'
/** The id of the subscription, and so the lane of its jobs. */
const subscription = 'purge'

/** Every event of content becomes a job, which is due at once: the worker gathers further jobs before it purges. */
export async function upsertPurgeSubscription(tx: Tx): Promise<void> {
  const row = { queue: purgeQueue, is_active: 1, events: '["*"]', templates: '[]', languages: '[]', delay: 0 }
  await tx
    .insertInto('subscriptions')
    .values({ id: subscription, ...row })
    .onConflict(conflict => conflict.column('id').doUpdateSet(row))
    .execute()
}

/** Without a cache there is nothing to purge: jobs that wait are dropped. */
export async function deletePurgeSubscription(tx: Tx): Promise<void> {
  await tx.deleteFrom('jobs').where('queue', '=', purgeQueue).execute()
  await tx.deleteFrom('subscriptions').where('id', '=', subscription).execute()
}

const selectSubscription = prepared(db => db.selectFrom('subscriptions').select('delay').where('id', '=', subscription))

/** Undefined if there is no subscription. */
export const selectSubscribedDelay = async (store: Store) => (await selectSubscription(store))[0]?.delay

/** In the order in which they were inserted. */
const selectWaiting = prepared((db, limit: number) =>
  db
    .selectFrom('jobs')
    .select(['number', 'id', 'payload', 'attempts', 'problem', 'created_at', 'due_at'])
    .where('queue', '=', purgeQueue)
    .where('finished_at', 'is', null)
    .orderBy('number')
    .limit(limit),
)

const countWaitingJobs = prepared(db =>
  db
    .selectFrom('jobs')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('queue', '=', purgeQueue)
    .where('finished_at', 'is', null),
)

const selectFinished = prepared((db, limit: number) =>
  db
    .selectFrom('jobs')
    .select(['id', 'problem', 'attempts', 'finished_at'])
    .where('queue', '=', purgeQueue)
    .where('finished_at', 'is not', null)
    .orderBy('number', 'desc')
    .limit(limit),
)

export const selectWaitingPurges = async (store: Store, limit: number) => selectWaiting(store, limit)
export const selectFinishedPurges = async (store: Store, limit: number) => selectFinished(store, limit)
export const countWaiting = async (store: Store) => (await countWaitingJobs(store))[0]!.count

/** Deletes jobs that another job has done, too. */
export async function deleteJobs(tx: Tx, numbers: readonly number[]): Promise<void> {
  if (numbers.length > 0) await tx.deleteFrom('jobs').where('number', 'in', numbers).execute()
}

/** Deletes finished jobs except the last `keep`. */
export async function deleteOldPurges(tx: Tx, keep: number): Promise<void> {
  await tx
    .deleteFrom('jobs')
    .where('queue', '=', purgeQueue)
    .where('finished_at', 'is not', null)
    .where('number', '<', eb =>
      eb
        .selectFrom('jobs as kept')
        .select('kept.number')
        .where('kept.queue', '=', purgeQueue)
        .where('kept.finished_at', 'is not', null)
        .orderBy('kept.number', 'desc')
        .limit(1)
        .offset(keep - 1),
    )
    .execute()
}

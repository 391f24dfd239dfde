import { sql } from 'kysely'
import { releaseLane } from '../../../platform/queue/queries.ts'
import { now, prepared, type Store, type Tx } from '../../../platform/store/store.ts'
import type { SubscriptionsTable, WebhooksTable } from '../../../platform/store/tables/jobs.ts'

export const webhookQueue = 'webhooks'

/** The suffix is older than the name: rows of earlier releases have it. */
const manualSuffix = ':single'

/** The lane of tests and of deliveries that are sent again: they do not wait behind a delivery that fails. */
export const manualLaneOf = (webhook: string) => webhook + manualSuffix

export function parseDeliveryLane(lane: string): { id: string; isManual: boolean } {
  const isManual = lane.endsWith(manualSuffix)
  return { id: isManual ? lane.slice(0, -manualSuffix.length) : lane, isManual }
}

type SubscriptionSettings = Pick<SubscriptionsTable, 'is_active' | 'events' | 'templates' | 'languages' | 'delay'>

export type WebhookRow = WebhooksTable & SubscriptionSettings & { is_old_secret_valid: number }

const columns = [
  'webhooks.id', 'source', 'owner_id', 'url', 'secret', 'old_secret', 'old_secret_until', 'off_reason', 'off_at',
  'created_at', 'modified_at', 'is_active', 'events', 'templates', 'languages', 'delay',
] as const // prettier-ignore

/** Whether the old secret signs, too: by the clock of the store, which has set its end. */
const isOldSecretValid = sql<number>`case when old_secret_until > ${now} then 1 else 0 end`.as('is_old_secret_valid')

const webhookRows = prepared(db =>
  db
    .selectFrom('webhooks')
    .innerJoin('subscriptions', 'subscriptions.id', 'webhooks.id')
    .select([...columns, isOldSecretValid])
    .orderBy('created_at')
    .orderBy('webhooks.id'),
)

const webhookRow = prepared((db, id: string) =>
  db
    .selectFrom('webhooks')
    .innerJoin('subscriptions', 'subscriptions.id', 'webhooks.id')
    .select([...columns, isOldSecretValid])
    .where('webhooks.id', '=', id),
)

export const selectWebhooks = async (store: Store): Promise<WebhookRow[]> => webhookRows(store)
export const selectWebhook = async (store: Store, id: string): Promise<WebhookRow | undefined> =>
  (await webhookRow(store, id))[0]

export async function insertWebhook(
  tx: Tx,
  webhook: Pick<WebhooksTable, 'id' | 'source' | 'owner_id' | 'url' | 'secret'>,
  subscription: SubscriptionSettings,
): Promise<void> {
  await tx
    .insertInto('subscriptions')
    .values({ id: webhook.id, queue: webhookQueue, ...subscription })
    .execute()
  await tx
    .insertInto('webhooks')
    .values({
      ...webhook,
      old_secret: null,
      old_secret_until: null,
      off_reason: null,
      off_at: null,
      created_at: now,
      modified_at: now,
    })
    .execute()
}

export async function updateWebhook(
  tx: Tx,
  id: string,
  change: Partial<Pick<WebhooksTable, 'url' | 'off_reason' | 'off_at'>>,
  subscription: Partial<SubscriptionSettings> = {},
): Promise<void> {
  if (Object.keys(subscription).length > 0)
    await tx.updateTable('subscriptions').set(subscription).where('id', '=', id).execute()
  await tx
    .updateTable('webhooks')
    .set({ ...change, modified_at: now })
    .where('id', '=', id)
    .execute()
}

/** Replaces the secret. The old one stays valid for `overlapMs`. */
export async function updateSecret(tx: Tx, id: string, secret: string, overlapMs: number): Promise<void> {
  await tx
    .updateTable('webhooks')
    .set({
      old_secret: sql`secret`,
      old_secret_until: sql`${now} + ${sql.lit(overlapMs)}`,
      secret,
      modified_at: now,
    })
    .where('id', '=', id)
    .execute()
}

/** The latest time that a `Date` can have, in ms. */
const never = 8_640_000_000_000_000

/** Stores the secrets of a webhook of the settings: an old one is valid until it is removed from them. */
export async function updateConfiguredSecrets(tx: Tx, id: string, secret: string, old: string | null): Promise<void> {
  await tx
    .updateTable('webhooks')
    .set({ secret, old_secret: old, old_secret_until: old === null ? null : never })
    .where('id', '=', id)
    .execute()
}

export async function deleteWebhookRow(tx: Tx, id: string): Promise<void> {
  await tx
    .deleteFrom('jobs')
    .where('queue', '=', webhookQueue)
    .where('lane', 'in', [id, manualLaneOf(id)])
    .execute()
  await tx.deleteFrom('webhooks').where('id', '=', id).execute()
  await tx.deleteFrom('subscriptions').where('id', '=', id).execute()
}

export async function isUrlTaken(tx: Tx, url: string, exceptId = ''): Promise<boolean> {
  const found = await tx
    .selectFrom('webhooks')
    .select('id')
    .where('url', '=', url)
    .where('id', '<>', exceptId)
    .executeTakeFirst()
  return found !== undefined
}

export async function countWebhooks(tx: Tx): Promise<number> {
  const { count } = await tx
    .selectFrom('webhooks')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function markTurnedOff(tx: Tx, id: string, reason: string): Promise<void> {
  await tx.updateTable('subscriptions').set({ is_active: 0 }).where('id', '=', id).execute()
  await tx.updateTable('webhooks').set({ off_reason: reason, off_at: now }).where('id', '=', id).execute()
  await markWaitingDeliveriesFinished(tx, id)
}

/**
 * Ends the deliveries of events that wait for a webhook that is off. Tests and deliveries that are sent again have a lane
 * of their own: they are still sent. An attempt that runs loses its job and can no longer release the lane.
 */
export async function markWaitingDeliveriesFinished(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ finished_at: now, problem: 'The webhook was turned off.' })
    .where('queue', '=', webhookQueue)
    .where('lane', '=', id)
    .where('finished_at', 'is', null)
    .execute()
  await releaseLane(tx, webhookQueue, id)
}

/** The owner of a webhook, or else all administrators: webhooks of the settings have no owner, and accounts end. */
export async function selectAccountsToNotify(tx: Tx, owner: string | null) {
  const active = tx.selectFrom('users').select(['id', 'email', 'language']).where('status', '=', 'active')
  const found = owner === null ? [] : await active.where('id', '=', owner).execute()
  return found.length > 0 ? found : active.where('role', '=', 'admin').orderBy('id').execute()
}

// ---- deliveries: the jobs of the webhook

export interface DeliveryRow {
  number: number
  id: string
  payload: string
  attempts: number
  due_at: number
  created_at: number
  finished_at: number | null
  problem: string | null
  result: string | null
}

const deliveryColumns = [
  'number',
  'id',
  'payload',
  'attempts',
  'due_at',
  'created_at',
  'finished_at',
  'problem',
  'result',
] as const

const deliveryRows = prepared((db, lane: string, limit: number) =>
  db
    .selectFrom('jobs')
    .select(deliveryColumns)
    .where('queue', '=', webhookQueue)
    .where('lane', '=', lane)
    .orderBy('number', 'desc')
    .limit(limit),
)

/** Of both lanes: the index has the order of each. */
export async function selectLastDeliveries(store: Store, webhook: string, limit: number): Promise<DeliveryRow[]> {
  const events = await deliveryRows(store, webhook, limit)
  const manual = await deliveryRows(store, manualLaneOf(webhook), limit)
  return [...events, ...manual].toSorted((one, other) => other.number - one.number).slice(0, limit)
}

const deliveryRow = prepared((db, lane: string, manualLane: string, id: string) =>
  db
    .selectFrom('jobs')
    .select(deliveryColumns)
    .where('queue', '=', webhookQueue)
    .where('lane', 'in', [lane, manualLane])
    .where('id', '=', id),
)

export const selectDelivery = async (store: Store, webhook: string, id: string): Promise<DeliveryRow | undefined> =>
  (await deliveryRow(store, webhook, manualLaneOf(webhook), id))[0]

/** The jobs of the lane that wait behind one, in order. */
export async function selectWaitingAfter(tx: Tx, lane: string, id: string, limit: number) {
  return tx
    .selectFrom('jobs')
    .select(['number', 'payload'])
    .where('queue', '=', webhookQueue)
    .where('lane', '=', lane)
    .where('finished_at', 'is', null)
    .where('number', '>', eb => eb.selectFrom('jobs').select('number').where('id', '=', id))
    .orderBy('number')
    .limit(limit)
    .execute()
}

/** A delivery that waits for its next attempt becomes due. Those behind it follow. */
export async function markRetryDue(tx: Tx, webhook: string): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ due_at: now })
    .where('number', '=', eb =>
      eb
        .selectFrom('jobs')
        .select(first => first.fn.min('number').as('number'))
        .where('queue', '=', webhookQueue)
        .where('lane', '=', webhook)
        .where('finished_at', 'is', null),
    )
    .where('attempts', '>', 0)
    .execute()
}

/** Replaces jobs by one, with a new payload. False if the lease of that one was lost; nothing is changed then. */
export async function updateJoinedJobs(
  tx: Tx,
  { id, attempts }: { id: string; attempts: number },
  payload: string,
  numbers: readonly number[],
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('jobs')
    .set({ payload })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await tx.deleteFrom('jobs').where('number', 'in', numbers).execute()
  return true
}

/** Deletes finished deliveries, except the last ones of each lane. Returns how many. */
export async function deleteOldDeliveries(tx: Tx, keep: number, limit: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('jobs')
    .where('number', 'in', old =>
      old
        .selectFrom('jobs')
        .select('number')
        .where('queue', '=', webhookQueue)
        .where('finished_at', 'is not', null)
        .where('number', '<', eb =>
          eb
            .selectFrom('jobs as kept')
            .select('kept.number')
            .whereRef('kept.lane', '=', 'jobs.lane')
            .orderBy('kept.number', 'desc')
            .limit(1)
            .offset(keep - 1),
        )
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

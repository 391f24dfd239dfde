import { createHash } from 'node:crypto'
import type { Context } from '../../../access/actor.ts'
import { auditActor, record } from '../../../access/audit/audit.ts'
import { isEventPattern } from '../../../access/audit/patterns.ts'
import { createMessageId, type DeliveryPayload } from '../../../access/audit/subscriptions.ts'
import { mustBeAllowed } from '../../../access/authorize/authorize.ts'
import type { App } from '../../../app.ts'
import { fail } from '../../../platform/errors.ts'
import { createId } from '../../../platform/lib/id.ts'
import { enqueue, sealPayload, unsealPayload } from '../../../platform/queue/queue.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { addressMustBeAllowed } from './address.ts'
import * as queries from './queries.ts'
import type { DeliveryRow, WebhookRow } from './queries.ts'
import { createSecret } from './signature.ts'

const maxWebhooks = 50
/** How many deliveries of a webhook are kept. */
const maxDeliveries = 100
/** How long the old secret signs, too, after a new one was created, in ms. */
const secretOverlapMs = 24 * 60 * 60_000

export interface WebhookSettings {
  url: string
  events: readonly string[]
  templates?: readonly string[] | undefined
  languages?: readonly string[] | undefined
  /** In seconds. */
  gather?: number | undefined
  active?: boolean | undefined
}

/** A delivery, and the webhook that it belongs to. */
export type Delivery = DeliveryRow & { webhook: WebhookRow }

type WebhookChange = { [Name in keyof WebhookSettings]?: WebhookSettings[Name] | undefined }

export async function findWebhook({ store }: App, id: string): Promise<WebhookRow> {
  const row = await queries.selectWebhook(store, id)
  if (!row) throw fail('webhook.notFound', { id })
  return row
}

/** Returns the id and the secret, which is not shown again. */
export async function createWebhook(ctx: Context, settings: WebhookSettings): Promise<{ id: string; secret: string }> {
  mustBeAllowed(ctx, 'access.system')
  const { app } = ctx
  eventsMustExist(settings.events)
  const url = await checkedUrl(app, settings.url)
  const [id, secret] = [createId(), createSecret()]
  await app.store.write(async tx => {
    if ((await queries.countWebhooks(tx)) >= maxWebhooks) throw fail('webhook.limit', { max: String(maxWebhooks) })
    if (await queries.isUrlTaken(tx, url)) throw fail('webhook.duplicate')
    const { actor: owner = null } = auditActor(ctx)
    const row = { id, source: 'panel' as const, owner_id: owner, url, secret: sealSecret(app, id, secret) }
    await queries.insertWebhook(tx, row, subscriptionSettingsOf(settings))
    await recordChange(ctx, tx, id, 'created')
  })
  return { id, secret }
}

export async function changeWebhook(ctx: Context, id: string, change: WebhookChange): Promise<void> {
  mustBeAllowed(ctx, 'access.system')
  const { app } = ctx
  // It can be turned on again without a change of the settings: it may have been turned off by failures.
  const row = await findWebhook(app, id)
  if (Object.keys(change).some(name => name !== 'active')) mustBeFromPanel(row)
  eventsMustExist(change.events ?? [])
  // An address that was allowed when it was saved is checked again when it is sent to.
  const url = change.url === undefined ? undefined : await checkedUrl(app, change.url)
  const isOn = change.active === true
  await app.store.write(async tx => {
    if (url !== undefined && (await queries.isUrlTaken(tx, url, id))) throw fail('webhook.duplicate')
    // Only what was sent: the webhook may be changed or turned off at the same time.
    const own = { ...(url !== undefined && { url }), ...(isOn && { off_reason: null, off_at: null }) }
    await queries.updateWebhook(tx, id, own, changedSubscriptionSettingsOf(change))
    if (change.active === false) await queries.markWaitingDeliveriesFinished(tx, id)
    await recordChange(ctx, tx, id, 'changed')
  })
}

export async function deleteWebhook(ctx: Context, id: string): Promise<void> {
  mustBeAllowed(ctx, 'access.system')
  mustBeFromPanel(await findWebhook(ctx.app, id))
  await ctx.app.store.write(async tx => {
    await queries.deleteWebhookRow(tx, id)
    await recordChange(ctx, tx, id, 'deleted')
  })
}

/** A new secret. The old one signs, too, for a day. */
export async function rotateSecret(ctx: Context, id: string): Promise<string> {
  mustBeAllowed(ctx, 'access.system')
  const { app } = ctx
  mustBeFromPanel(await findWebhook(app, id))
  const secret = createSecret()
  await app.store.write(async tx => {
    await queries.updateSecret(tx, id, sealSecret(app, id, secret), secretOverlapMs)
    await recordChange(ctx, tx, id, 'secret')
  })
  return secret
}

/** Sends an event without meaning, also if the webhook is off. Returns the id of the delivery. */
export async function sendTest(ctx: Context, id: string): Promise<Delivery> {
  mustBeAllowed(ctx, 'access.system')
  const { app } = ctx
  const webhook = await findWebhook(app, id)
  const message = { type: 'webhook.test', timestamp: new Date().toISOString(), data: { kind: 'webhook' } }
  return queueManual(app, webhook, { events: [message] })
}

/** Sends a delivery again, with the same `webhook-id`: a receiver that has processed it already can ignore it. */
export async function sendAgain(ctx: Context, id: string, delivery: string): Promise<Delivery> {
  mustBeAllowed(ctx, 'access.system')
  const { app } = ctx
  const webhook = await findWebhook(app, id)
  const found = await queries.selectDelivery(app.store, id, delivery)
  if (!found) throw fail('webhook.delivery.notFound', { id: delivery })
  const { events, message = found.id } = JSON.parse(found.payload) as DeliveryPayload
  return queueManual(app, webhook, { events, message })
}

async function queueManual(app: App, webhook: WebhookRow, payload: DeliveryPayload): Promise<Delivery> {
  const [id, lane] = [createMessageId(), queries.manualLaneOf(webhook.id)]
  await app.store.write(tx => enqueue(tx, { queue: queries.webhookQueue, id, lane, payload: JSON.stringify(payload) }))
  const row = await queries.selectDelivery(app.store, webhook.id, id)
  if (!row) throw fail('webhook.delivery.notFound', { id }) // deleted in the meantime
  return { ...row, webhook }
}

export async function listDeliveries({ store }: App, webhook: WebhookRow): Promise<Delivery[]> {
  const rows = await queries.selectLastDeliveries(store, webhook.id, maxDeliveries)
  return rows.map(row => ({ ...row, webhook }))
}

export async function sweepDeliveries(tx: Tx, limit: number): Promise<number> {
  return queries.deleteOldDeliveries(tx, maxDeliveries, limit)
}

// ---- webhooks of the settings

/** Makes the webhooks of `webhooks.list` the same as in the settings. Runs when the server starts. */
export async function syncSettings(app: App): Promise<void> {
  const { list } = app.config.webhooks
  const configured = new Map(list.map(settings => [settingsId(settings.url), settings]))
  const before = await queries.selectWebhooks(app.store)
  await app.store.write(async tx => {
    for (const { id, source } of before)
      if (source === 'settings' && !configured.has(id)) await queries.deleteWebhookRow(tx, id)
    for (const [id, { secret, ...settings }] of configured) {
      const [current, old] = [secret].flat().map(text => sealSecret(app, id, text)) as [string, string?]
      const known = before.find(row => row.id === id)
      if (!known && (await queries.isUrlTaken(tx, settings.url, id))) {
        app.log.warn(
          { webhook: settings.url },
          'the panel has a webhook with this address, too: webhooks.list is ignored for it',
        )
        continue
      }
      const row = { id, source: 'settings' as const, owner_id: null, url: settings.url, secret: current }
      const subscription = { ...subscriptionSettingsOf(settings), ...(known && { is_active: known.is_active }) }
      if (known) await queries.updateWebhook(tx, id, {}, subscription)
      else await queries.insertWebhook(tx, row, subscription)
      await queries.updateConfiguredSecrets(tx, id, current, old ?? null)
    }
  })
}

const settingsId = (url: string) => `settings-${createHash('sha256').update(url).digest('hex').slice(0, 16)}`

// ---- secrets

const sealSecret = (app: App, id: string, secret: string) => sealPayload(app, 'webhook', id, secret)

/** The secrets that sign now, the newest first. Empty if the keys of this server cannot decrypt them. */
export function secretsOf(app: App, row: WebhookRow): string[] {
  const old = row.old_secret !== null && row.is_old_secret_valid === 1 ? [row.old_secret] : []
  return [row.secret, ...old].flatMap(sealed => unsealPayload(app, 'webhook', row.id, sealed) ?? [])
}

// ---- settings

function eventsMustExist(events: readonly string[]): void {
  for (const event of events) if (!isEventPattern(event)) throw fail('webhook.events', { event })
}

async function checkedUrl(app: App, url: string): Promise<string> {
  await addressMustBeAllowed(app, url)
  return new URL(url).href
}

const distinct = (names: readonly string[]) => JSON.stringify([...new Set(names)])

const changedSubscriptionSettingsOf = ({ events, templates, languages, gather, active }: WebhookChange) => ({
  ...(events && { events: distinct(events) }),
  ...(templates && { templates: distinct(templates) }),
  ...(languages && { languages: distinct(languages) }),
  ...(gather !== undefined && { delay: gather * 1000 }),
  ...(active !== undefined && { is_active: active ? 1 : 0 }),
})

const subscriptionSettingsOf = ({
  events,
  templates = [],
  languages = [],
  gather = 0,
  active = true,
}: WebhookSettings) => ({
  events: distinct(events),
  templates: distinct(templates),
  languages: distinct(languages),
  delay: gather * 1000,
  is_active: active ? 1 : 0,
})

export const settingsOf = (row: WebhookRow) => ({
  url: row.url,
  events: JSON.parse(row.events) as string[],
  templates: JSON.parse(row.templates) as string[],
  languages: JSON.parse(row.languages) as string[],
  gather: row.delay / 1000,
  active: row.is_active === 1,
})

function mustBeFromPanel({ source }: WebhookRow): void {
  if (source === 'settings') throw fail('webhook.settings')
}

async function recordChange(ctx: Context, tx: Tx, webhook: string, what: string): Promise<void> {
  await record(tx, { event: 'system.webhook.changed', ...auditActor(ctx), detail: { webhook, what } })
}

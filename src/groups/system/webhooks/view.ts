import { z } from 'zod'
import type { DeliveryPayload } from '../../../access/audit/subscriptions.ts'
import { canReadResponses } from '../../../access/authorize/webhooks.ts'
import { answer } from '../../../http/answer.ts'
import { viewOf } from '../../../http/view.ts'
import type { DeliveryResult } from './deliver.ts'
import type { DeliveryRow, WebhookRow } from './queries.ts'
import { type Delivery, settingsOf } from './webhooks.ts'
import { namedSchema } from '../../../platform/lib/schema-names.ts'

const time = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds).toISOString())
const texts = z.array(z.string())

/** A webhook; never its secret. */
export const webhookView = viewOf<WebhookRow>('Webhook')(
  field => ({
    id: field.value(z.string(), row => row.id),
    url: field.value(z.string(), row => row.url),
    events: field.value(texts, row => settingsOf(row).events),
    /** An empty list does not restrict them; the same for languages. */
    templates: field.value(texts, row => settingsOf(row).templates),
    languages: field.value(texts, row => settingsOf(row).languages),
    /** In seconds. */
    gather: field.value(z.int(), row => settingsOf(row).gather),
    active: field.value(z.boolean(), row => row.is_active === 1),
    /** Why the system has turned it off: `gone` (410) or `failed`; null if it has not. */
    off: field.value(z.enum(['gone', 'failed']).nullable(), row => row.off_reason as 'gone' | 'failed' | null),
    offSince: field.value(z.string().nullable(), row => time(row.off_at)),
    /** When the previous secret expires after a rotation; null for webhooks of the settings, which never expire one. */
    oldSecretUntil: field.value(z.string().nullable(), row =>
      row.source === 'settings' ? null : time(row.old_secret_until),
    ),
    /** Webhooks of the settings can only be turned on and off here. */
    source: field.value(z.enum(['panel', 'settings']), row => row.source),
    owner: field.value(z.string().nullable(), row => row.owner_id),
    created: field.value(z.string(), row => time(row.created_at)!),
    modified: field.value(z.string(), row => time(row.modified_at)!),
  }),
  {},
)

const payloadOf = ({ payload }: DeliveryRow) => JSON.parse(payload) as DeliveryPayload
const resultOf = ({ result }: DeliveryRow): Partial<DeliveryResult> =>
  result === null ? {} : (JSON.parse(result) as DeliveryResult)

/** A delivery and how its last attempt ended. */
export const deliveryView = viewOf<Delivery>('WebhookDelivery')(
  field => ({
    id: field.value(z.string(), row => row.id),
    /** The `webhook-id` that the receiver gets. */
    message: field.value(z.string(), row => payloadOf(row).message ?? row.id),
    events: field.value(texts, row => [...new Set(payloadOf(row).events.map(({ type }) => type))]),
    /** Number of events. */
    count: field.value(z.int(), row => payloadOf(row).events.length),
    state: field.value(z.enum(['waiting', 'done', 'failed']), row =>
      row.finished_at === null ? 'waiting' : row.problem === null ? 'done' : 'failed',
    ),
    /** HTTP status of the last attempt; null if there was no response. */
    status: field.value(z.int().nullable(), row => resultOf(row).status ?? null),
    /** How long the last attempt took, in ms. */
    duration: field.value(z.int().nullable(), row => resultOf(row).duration ?? null),
    attempts: field.value(z.int(), row => row.attempts),
    problem: field.value(z.string().nullable(), row => row.problem),
    /**
     * The beginning of the response. Null unless the caller owns the webhook or, for a webhook of the settings, is an
     * administrator.
     */
    response: field.value(z.string().nullable(), (row, ctx) =>
      canReadResponses(ctx, row.webhook) ? (resultOf(row).body ?? null) : null,
    ),
    created: field.value(z.string(), row => time(row.created_at)!),
    next: field.value(z.string().nullable(), row => (row.finished_at === null ? time(row.due_at) : null)),
    finished: field.value(z.string().nullable(), row => time(row.finished_at)),
  }),
  {},
)

/** The model and the secret, which is shown only once. */
export const withSecret = answer(
  namedSchema(
    'WebhookWithSecret',
    z.object({
      code: z.literal(200),
      data: webhookView.schema,
      secret: z.string(),
      status: z.literal('ok'),
      type: z.literal('model'),
    }),
  ),
  ({ data, secret }: { data: Awaited<ReturnType<typeof webhookView.show>>; secret: string }) =>
    ({ code: 200, data, secret, status: 'ok', type: 'model' }) as const,
)

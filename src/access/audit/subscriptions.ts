import { createId } from '../../platform/lib/id.ts'
import { enqueue } from '../../platform/queue/queue.ts'
import type { Tx } from '../../platform/store/store.ts'
import type { AuditDetail, AuditEvent } from './names.ts'
import { contentEvents, matchesPattern } from './patterns.ts'

/** A subscription, as `audit_events` returns it with every inserted event. */
interface Subscription {
  id: string
  queue: string
  events: string[]
  templates: string[]
  languages: string[]
  delay: number
  lanes: 'one' | 'subject'
}

/** What is sent about an event: facts, never contents. */
export interface EventMessage {
  type: string
  timestamp: string
  data: AuditDetail
}

/** The payload of a delivery. */
export interface DeliveryPayload {
  /** The id of an earlier delivery that is sent again. By default the id of the job. */
  message?: string
  events: EventMessage[]
}

const subscribable = new Set<string>(contentEvents)

/**
 * Queues a delivery for every active subscription, in the transaction of the event: neither is committed without the
 * other. The database returns the subscriptions with the inserted event, so they are never out of date and a site
 * without any needs no further statement.
 */
export async function queueDeliveries(
  tx: Tx,
  event: AuditEvent,
  { id, time, subscriptions }: { id: number; time: number; subscriptions: string | null },
): Promise<void> {
  if (subscriptions === null || !subscribable.has(event.event)) return
  const message = messageOf(event, id, time)
  const { template, language } = message.data
  const types = typesOf(event)
  for (const subscription of parsed(subscriptions)) {
    const type = types.find(name => subscription.events.some(pattern => matchesPattern(name, pattern)))
    if (type === undefined) continue
    if (!isWanted(subscription.templates, template) || !isWanted(subscription.languages, language)) continue
    const { queue, id: subscriptionId, delay: delayMs, lanes } = subscription
    const lane = lanes === 'one' ? subscriptionId : `${subscriptionId}|${subjectOf(message)}`
    const payload: DeliveryPayload = { events: [{ ...message, type }] }
    await enqueue(tx, { queue, id: createMessageId(), lane, payload: JSON.stringify(payload), delayMs })
  }
}

/**
 * The names under which an event is sent, once to each subscription. A page that becomes public is published: subscriptions
 * to `page.published` that do not have the event itself get it under that name.
 */
function typesOf({ event, detail: { status, oldStatus } = {} }: AuditEvent): string[] {
  const wasDraft = event === 'page.created' || (event === 'page.status' && oldStatus === 'draft')
  return wasDraft && status !== 'draft' ? [event, 'page.published'] : [event]
}

/** What the event is about: events of one thing stay in order. */
const subjectOf = ({ data: { uuid, kind, language } }: EventMessage) =>
  typeof uuid === 'string' ? uuid : `${String(kind)}://${String(language)}`

/** What is recorded and sent about a change that an extension makes. */
export const originOf = ({
  extension,
  asSystem,
  cause,
}: Pick<AuditEvent, 'extension' | 'asSystem' | 'cause'>): AuditDetail => ({
  ...(extension !== undefined && { extension }),
  ...(asSystem === true && { asSystem }),
  ...(cause && { cause: cause.event, chain: cause.chain }),
})

export const createMessageId = () => `msg_${createId(24)}`

/** An event without a template or language concerns all of them. */
const isWanted = (list: readonly string[], value: unknown) =>
  list.length === 0 || typeof value !== 'string' || list.includes(value)

let last: { text: string; list: Subscription[] } = { text: '', list: [] }

function parsed(text: string): Subscription[] {
  if (last.text !== text) last = { text, list: JSON.parse(`[${text}]`) as Subscription[] }
  return last.list
}

/** The same names for all kinds: an account has its role as template, a language its code. */
function messageOf(from: AuditEvent, id: number, time: number): EventMessage {
  const { event, actor, subject, detail = {} } = from
  const { what, role, code, ...facts } = detail
  const uuid = subject === undefined || subject.includes('://') ? subject : `user://${subject}`
  return {
    type: event,
    timestamp: new Date(time).toISOString(),
    data: {
      id,
      kind: event.slice(0, event.indexOf('.')),
      ...(uuid !== undefined && { uuid }),
      ...(actor !== undefined && { actor }),
      ...(role !== undefined && { template: role }),
      ...(code !== undefined && { language: code }),
      ...(typeof what === 'string' && (event === 'user.changed' ? { fields: [what] } : { what })),
      ...facts,
      ...originOf(from),
    },
  }
}

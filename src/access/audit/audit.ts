import type { App } from '../../app.ts'
import { accountOf, type Context, type Visitor } from '../actor.ts'
import { networkOf } from '../../platform/lib/ip.ts'
import { userAgentFamily } from '../../platform/lib/user-agent.ts'
import type { Tx } from '../../platform/store/store.ts'
import { sweepInBatches, type SweepOptions } from '../../platform/store/sweep.ts'
import type { AuditDetail, AuditEvent, EventName } from './names.ts'
import { originOf, queueDeliveries } from './subscriptions.ts'
import { deleteEvents, clearVisitors, insertEvent, insertFileEvent, upsertCountedEvent } from './queries.ts'

export type { AuditDetail, AuditEvent, EventName }

/** The actor of a change and the connection it came from, as an event names them. */
export function auditActor(
  ctx: Pick<Context, 'actor' | 'visitor'>,
): Pick<AuditEvent, 'actor' | 'session' | 'visitor' | 'extension' | 'asSystem' | 'cause'> {
  const { actor, visitor } = ctx
  return {
    actor: accountOf(ctx),
    session: actor.system || actor.isAnonymous ? undefined : actor.session?.id,
    visitor: actor.system && actor.inBackground ? undefined : visitor,
    extension: actor.isAnonymous ? undefined : actor.via,
    asSystem: actor.system === 'extension' && actor.onBehalfOf !== undefined,
    cause: actor.system && actor.cause,
  }
}

/** Writes the event and its deliveries in the transaction of the change: none is committed without the others. */
export async function record(tx: Tx, event: AuditEvent): Promise<void> {
  const { parent } = event.detail ?? {}
  const { rows } =
    typeof parent === 'string'
      ? await insertFileEvent(tx, { ...rowOf(event), ...parentOf(parent) })
      : await insertEvent(tx, rowOf(event))
  await queueDeliveries(tx, event, rows[0]!)
}

/** `page://a1` → page and `a1` */
function parentOf(owner: string) {
  const [kind, parent] = owner.split('://') as ['page' | 'site' | 'user', string]
  return { kind, parent }
}

/**
 * For events that unauthenticated clients can cause at will: one row per event, network, `key` and minute, with a
 * count, so that an attacker cannot fill the table.
 */
export async function recordCounted(tx: Tx, event: AuditEvent, key: string): Promise<void> {
  const row = rowOf(event)
  await upsertCountedEvent(tx, row, [event.event, row.ip_prefix, key].join('|'))
}

function rowOf(from: AuditEvent) {
  const { event, actor, subject, session, visitor, extension, detail = {} } = from
  return {
    event,
    actor_id: actor ?? null,
    subject_id: subject ?? null,
    session_id: session ?? null,
    ip_prefix: visitor ? ipPrefix(visitor) : null,
    ua_family: visitor ? userAgentFamily(visitor.userAgent) : null,
    request_id: visitor?.requestId ?? null,
    detail: JSON.stringify(extension === undefined ? detail : { ...detail, ...originOf(from) }),
    template: templateOf(subject, detail),
    page: pageOf(subject) ?? pageOf(detail['parent']),
  }
}

/** Files without a template have the permissions of `default`. */
function templateOf(subject: string | undefined, { template, role }: AuditDetail): string | null {
  const name = template ?? role ?? (subject?.startsWith('file://') ? 'default' : undefined)
  return typeof name === 'string' ? name : null
}

/** `page://a1` → `a1` */
const pageOf = (owner: unknown) =>
  typeof owner === 'string' && owner.startsWith('page://') ? owner.slice('page://'.length) : null

/** Precise enough for users to recognise their own network in a list, too coarse to identify a person. */
export function ipPrefix(visitor: Visitor): string {
  return networkOf(visitor.ip, 24, 48)
}

const day = 24 * 60 * 60_000
/** In ms. A database trigger rejects clearing the network and browser of an event earlier. */
const visitorRetentionMs = 90 * day

/** Clears the network and browser of old events, and deletes events after their retention period. */
export async function sweepEvents({ store, config }: App, options?: SweepOptions): Promise<void> {
  await sweepInBatches(store, (tx, limit) => clearVisitors(tx, visitorRetentionMs, limit), options)
  await sweepInBatches(store, (tx, limit) => deleteEvents(tx, config.audit.keepDays * day, limit), options)
}

import type { App } from '../../app.ts'
import { accountOf, type Context, isStranger, isSystem, type Visitor } from '../actor.ts'
import { networkOf } from '../../platform/lib/ip.ts'
import { userAgentFamily } from '../../platform/lib/user-agent.ts'
import type { Tx } from '../../platform/store/store.ts'
import { sweepInBatches, type SweepOptions } from '../../platform/store/sweep.ts'
import { deleteEvents, clearVisitors, insertEvent, insertFileEvent, raiseCount } from './queries.ts'

export type EventName =
  | 'auth.login.ok'
  | 'auth.login.challenge'
  | 'auth.login.fail'
  | 'auth.login.throttled'
  | 'auth.mfa.ok'
  | 'auth.mfa.fail'
  | 'auth.logout'
  | 'auth.reauth.ok'
  | 'auth.session.expired'
  | 'auth.session.evicted'
  | 'auth.session.revoked'
  | 'auth.password.changed'
  | 'auth.password.reset.requested'
  | 'auth.password.reset.done'
  | 'auth.password.disabled'
  | 'auth.factor.added'
  | 'auth.factor.removed'
  | 'auth.factor.disabled'
  | 'auth.factor.renamed'
  | 'auth.factor.used-recovery'
  | 'auth.passkey.counter-signal'
  | 'auth.token.created'
  | 'auth.token.revoked'
  | 'auth.token.first-used'
  | 'auth.email.requested'
  | 'auth.email.changed'
  | 'auth.csrf.denied'
  | 'auth.permission.denied'
  | 'auth.epoch.bumped'
  | 'auth.throttle.cleared'
  | 'system.crypto.failed'
  | 'system.installed'
  | 'system.install.fail'
  | 'user.changed'
  | 'user.created'
  | 'user.invited'
  | 'user.activated'
  | 'user.disabled'
  | 'user.enabled'
  | 'user.deleted'
  | 'user.restored'
  | 'page.created'
  | 'page.changed'
  | 'page.published'
  | 'page.status'
  | 'page.slug'
  | 'page.moved'
  | 'page.deleted'
  | 'page.restored'
  | 'site.changed'
  | 'site.imported'
  | 'file.created'
  | 'file.changed'
  | 'file.replaced'
  | 'file.renamed'
  | 'file.deleted'
  | 'file.restored'
  | 'trash.deleted'
  | 'language.created'
  | 'language.changed'
  | 'language.deleted'

export type AuditDetail = Record<string, string | number | boolean | readonly string[]>

export interface Event {
  event: EventName
  /** The acting account; absent for unauthenticated clients and for the command line. */
  actor?: string | undefined
  /** The account that the event is about. */
  subject?: string | undefined
  session?: string | undefined
  visitor?: Visitor | undefined
  /** Codes, numbers, and names and paths of content: never a password, code, token, content or other user input. */
  detail?: AuditDetail
}

/** The actor of a change and the connection it came from, as an event names them. */
export function auditActor(ctx: Pick<Context, 'actor' | 'visitor'>): Pick<Event, 'actor' | 'session' | 'visitor'> {
  const { actor, visitor } = ctx
  return {
    actor: accountOf(ctx),
    session: isSystem(actor) || isStranger(actor) ? undefined : actor.session?.id,
    visitor,
  }
}

/** Writes the event in the transaction of the change: neither is committed without the other. */
export async function record(tx: Tx, event: Event): Promise<void> {
  const { parent } = event.detail ?? {}
  if (typeof parent !== 'string') return void (await insertEvent(tx, rowOf(event)))
  const [kind, id] = parent.split('://') as ['page' | 'site' | 'user', string]
  await insertFileEvent(tx, { ...rowOf(event), kind, parent: id })
}

/**
 * For events that unauthenticated clients can cause at will: one row per event, network, `key` and minute, with a
 * count, so that an attacker cannot fill the table.
 */
export async function recordCounted(tx: Tx, event: Event, key: string): Promise<void> {
  const row = rowOf(event)
  await raiseCount(tx, row, [event.event, row.ip_prefix, key].join('|'))
}

function rowOf({ event, actor, subject, session, visitor, detail = {} }: Event) {
  return {
    event,
    actor_id: actor ?? null,
    subject_id: subject ?? null,
    session_id: session ?? null,
    ip_prefix: visitor ? ipPrefix(visitor) : null,
    ua_family: visitor ? userAgentFamily(visitor.userAgent) : null,
    request_id: visitor?.requestId ?? null,
    detail: JSON.stringify(detail),
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

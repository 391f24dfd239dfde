import { type ExpressionBuilder, sql } from 'kysely'
import type { Database } from '../../platform/store/schema.ts'
import type { AuditEventsTable } from '../../platform/store/tables/accounts.ts'
import { now, preparedIn, type Store, type Tx } from '../../platform/store/store.ts'

type NewEvent = Omit<AuditEventsTable, 'id' | 'time' | 'count' | 'gathered' | 'parent_kind' | 'parent_template'>

const names = [
  'event', 'actor_id', 'subject_id', 'session_id', 'ip_prefix', 'ua_family', 'request_id', 'detail', 'template', 'page',
] as const satisfies (keyof NewEvent)[] // prettier-ignore

const common = { time: now, count: 1, gathered: null, parent_kind: null, parent_template: null }

/**
 * Returned with every inserted event: id, time, and the active subscriptions as JSON objects, separated by commas; null
 * if there are none. As part of the statement it costs nothing measurable on a site without subscriptions.
 */
const inserted = [
  'id',
  'time',
  sql<string | null>`(select string_agg(
    '{"id":"' || subscriptions.id || '","queue":"' || queue || '","events":' || events || ',"templates":' || templates
      || ',"languages":' || languages || ',"delay":' || delay || ',"lanes":"' || lanes || '"}', ',')
    from subscriptions where is_active = 1)`.as('subscriptions'),
] as const

export const insertEvent = preparedIn<NewEvent>()(names, (db, event) =>
  db
    .insertInto('audit_events')
    .values({ ...event, ...common })
    .returning(inserted),
)

type NewFileEvent = NewEvent & { kind: AuditEventsTable['parent_kind']; parent: string }

/** With the template or role of the parent, which decides who sees the file. */
export const insertFileEvent = preparedIn<NewFileEvent>()(
  [...names, 'kind', 'parent'],
  (db, { kind, parent, ...event }) =>
    db
      .insertInto('audit_events')
      .values({
        ...event,
        ...common,
        parent_kind: kind,
        parent_template: sql`coalesce((select template from pages where uuid = ${parent}), (select role from users where id = ${parent}))`,
      })
      .returning(inserted),
)

export async function upsertCountedEvent(tx: Tx, event: NewEvent, key: string): Promise<void> {
  await tx
    .insertInto('audit_events')
    .values({ ...event, ...common, gathered: sql`${key} || '|' || (${now} / 60000)` })
    .onConflict(conflict => conflict.column('gathered').doUpdateSet({ count: sql`audit_events.count + 1` }))
    .execute()
}

// ---- reading

/**
 * Filters the events of an account. An `event` that ends with a dot matches as a prefix: `auth.login.`. `from` and
 * `until` are ms.
 */
export interface EventFilter {
  event?: string | undefined
  from?: number | undefined
  until?: number | undefined
}

/** An event as the API may show it. `subject_id` is left out: the query is for one subject. */
export type EventRow = Omit<NewEvent, 'subject_id' | 'template' | 'page'> & { id: number; time: number; count: number }

type Events = ExpressionBuilder<Database, 'audit_events'>

function matches(eb: Events, subject: string, { event, from, until }: EventFilter) {
  return eb.and([
    eb('subject_id', '=', subject),
    ...(event === undefined ? [] : [event.endsWith('.') ? eb('event', 'like', `${event}%`) : eb('event', '=', event)]),
    ...(from === undefined ? [] : [eb('time', '>=', from)]),
    ...(until === undefined ? [] : [eb('time', '<', until)]),
  ])
}

/** Newest first. The subquery finds the page in the index alone, so that only the rows of the page are read. */
export async function selectEvents(
  store: Store,
  subject: string,
  filter: EventFilter,
  { limit, offset }: { limit: number; offset: number },
) {
  const query = store.db
    .selectFrom('audit_events')
    .select([
      'id',
      'time',
      'event',
      'actor_id',
      'session_id',
      'ip_prefix',
      'ua_family',
      'request_id',
      'detail',
      'count',
    ])
    .where('id', 'in', page =>
      page
        .selectFrom('audit_events')
        .select('id')
        .where(eb => matches(eb, subject, filter))
        .orderBy('time', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset),
    )
    .orderBy('time', 'desc')
    .orderBy('id', 'desc')
    .compile()
  return (await store.read(query)) as EventRow[]
}

export async function countEvents(store: Store, subject: string, filter: EventFilter): Promise<number> {
  const query = store.db
    .selectFrom('audit_events')
    .select(eb => eb.fn.countAll().as('total'))
    .where(eb => matches(eb, subject, filter))
    .compile()
  const [row] = (await store.read(query)) as { total: number }[]
  return row!.total
}

// ---- retention, in batches

/** Clears the network and browser, also from `gathered`, whose key contains the network. Returns the number of rows. */
export async function clearVisitors(tx: Tx, age: number, limit: number): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('audit_events')
    .set({ ip_prefix: null, ua_family: null, gathered: null })
    .where('id', 'in', old =>
      old
        .selectFrom('audit_events')
        .select('id')
        .where('ip_prefix', 'is not', null)
        .where('time', '<', sql<number>`${now} - ${sql.lit(age)}`)
        .orderBy('time')
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export async function deleteEvents(tx: Tx, age: number, limit: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('audit_events')
    .where('id', 'in', old =>
      old
        .selectFrom('audit_events')
        .select('id')
        .where('time', '<', sql<number>`${now} - ${sql.lit(age)}`)
        .orderBy('time')
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** True if any event is recorded for this account id, even if the account no longer exists. */
export async function hasEvents(tx: Tx, subject: string): Promise<boolean> {
  const row = await tx
    .selectFrom('audit_events')
    .select('id')
    .where('subject_id', '=', subject)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

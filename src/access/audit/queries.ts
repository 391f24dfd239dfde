import { type ExpressionBuilder, sql } from 'kysely'
import type { AuditEventsTable, Database } from '../../platform/store/schema.ts'
import { now, preparedIn, type Store, type Tx } from '../../platform/store/store.ts'

type NewEvent = Omit<AuditEventsTable, 'id' | 'time' | 'count' | 'gathered'>

export const insertEvent = preparedIn<NewEvent>()(
  ['event', 'actor_id', 'subject_id', 'session_id', 'ip_prefix', 'ua_family', 'request_id', 'detail'],
  (db, event) => db.insertInto('audit_events').values({ ...event, time: now, count: 1, gathered: null }),
)

export async function raiseCount(tx: Tx, event: NewEvent, key: string): Promise<void> {
  await tx
    .insertInto('audit_events')
    .values({ ...event, time: now, count: 1, gathered: sql`${key} || '|' || (${now} / 60000)` })
    .onConflict(conflict => conflict.column('gathered').doUpdateSet({ count: sql`audit_events.count + 1` }))
    .execute()
}

// ---- reading

/** Which events of an account: by their name, or the beginning of it up to a dot, and by their time. */
export interface EventFilter {
  event?: string | undefined
  from?: number | undefined
  until?: number | undefined
}

/** An event as it may be shown; `subject_id` is whose it was asked for. */
export type EventRow = Omit<NewEvent, 'subject_id'> & { id: number; time: number; count: number }

type Events = ExpressionBuilder<Database, 'audit_events'>

function fits(eb: Events, subject: string, { event, from, until }: EventFilter) {
  return eb.and([
    eb('subject_id', '=', subject),
    ...(event === undefined ? [] : [event.endsWith('.') ? eb('event', 'like', `${event}%`) : eb('event', '=', event)]),
    ...(from === undefined ? [] : [eb('time', '>=', from)]),
    ...(until === undefined ? [] : [eb('time', '<', until)]),
  ])
}

/** Newest first. The page is found in the index alone; only the rows that are shown are read. */
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
        .where(eb => fits(eb, subject, filter))
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
    .where(eb => fits(eb, subject, filter))
    .compile()
  const [row] = (await store.read(query)) as { total: number }[]
  return row!.total
}

// ---- forgetting, some at a time

/** Where the event came from, which its gathering key says too. Answers with how many forgot it. */
export async function forgetPlaces(tx: Tx, age: number, most: number): Promise<number> {
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
        .limit(most),
    )
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export async function deleteEvents(tx: Tx, age: number, most: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('audit_events')
    .where('id', 'in', old =>
      old
        .selectFrom('audit_events')
        .select('id')
        .where('time', '<', sql<number>`${now} - ${sql.lit(age)}`)
        .orderBy('time')
        .limit(most),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Whether anything ever happened to an account of this id. */
export async function isKnown(tx: Tx, subject: string): Promise<boolean> {
  const row = await tx
    .selectFrom('audit_events')
    .select('id')
    .where('subject_id', '=', subject)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

import { type RawBuilder, sql } from 'kysely'
import type { TemplateFilter } from '../../../access/authorize/templates.ts'
import type { AuditEventsTable } from '../../../platform/store/tables/accounts.ts'
import { type EngineName, now, type Store } from '../../../platform/store/store.ts'
import type { VisibleAccounts } from '../../../access/authorize/accounts.ts'
import { always, never, isOfTemplates, type VisibleFiles } from '../all-files/queries.ts'
import type { EventPatterns } from './names.ts'

/** The events that the caller may see, by the template or role of their subject and its parent. */
export interface VisibleEvents {
  pages: TemplateFilter
  users: VisibleAccounts
  site: boolean
  files: VisibleFiles
  /** The id of the caller, if they may see their own account. */
  own: string | undefined
  /** Whether the events of authentication (`auth.*`) of all accounts are visible. */
  allAuth: boolean
}

export interface FeedFilter {
  patterns: EventPatterns
  /** The uuid of a page: its events, and those of its files. */
  page?: string | undefined
  /** The id of the account that acted. */
  user?: string | undefined
  /** In ms; `until` itself is not included. */
  from?: number | undefined
  until?: number | undefined
}

/** A place in the feed, which is ordered by time and id. */
export interface Position {
  time: number
  id: number
}

export type FeedRow = Pick<AuditEventsTable, 'event' | 'actor_id' | 'subject_id' | 'time' | 'detail'> & { id: number }

type Condition = RawBuilder<boolean>

/** `page.published` → `page`, by engine. The index has the same expression. */
const eventKind: Record<EngineName, RawBuilder<string>> = {
  postgres: sql`split_part(event, '.', 1)`,
  sqlite: sql`substr(event, 1, instr(event, '.') - 1)`,
}

const ofRoles = (role: RawBuilder<unknown>, { roles, except }: VisibleAccounts) =>
  isOfTemplates(role, { templates: roles, except })

const constantCondition = (is: boolean): Condition => (is ? always : never)

function isOwn(own: string | undefined): Condition {
  return own === undefined ? never : sql`subject_id in (${own}, ${`user://${own}`})`
}

/** Events of earlier versions of Quoin have no template: only callers who may see every template see them. */
function visibleEventCondition(
  { name: engine }: Store,
  { pages, users, site, files, own, allAuth }: VisibleEvents,
): Condition {
  // The current role, if the event does not name one.
  const role = sql`coalesce(template, (select role from users where users.id = subject_id))`
  const parent = sql`parent_template`
  return sql`case
    when substr(subject_id, 1, 7) = 'page://' then ${isOfTemplates(sql`template`, pages)}
    when substr(subject_id, 1, 7) = 'file://' then ${isOfTemplates(sql`template`, files.files)} and case parent_kind
      when 'page' then ${isOfTemplates(parent, files.pages)} when 'user' then ${ofRoles(parent, files.users)}
      else ${constantCondition(files.site)} end
    when ${eventKind[engine]} = 'site' or subject_id = 'site://' then ${constantCondition(site)}
    when ${eventKind[engine]} in ('language', 'release') then ${always}
    when ${eventKind[engine]} in ('user', 'trash') then ${ofRoles(role, users)} or ${isOwn(own)}
    else ${constantCondition(allAuth)} or ${isOwn(own)} end`
}

/** A request reads at most this many rows, however many of them the caller may see: on SQLite it blocks the event loop. */
const maxRead = 10_000

const columns = sql`id, time, event, actor_id, subject_id, detail, template, parent_kind, parent_template`

/** The query for the rows of one index, newest first. `matches` filters what the index does not. */
function candidatesQuery(
  { name: engine }: Store,
  filter: FeedFilter,
  before: Position | undefined,
): RawBuilder<unknown> {
  const { patterns, page, user, from, until } = filter
  const conditions = [
    page !== undefined
      ? sql`page = ${page}`
      : user !== undefined
        ? sql`actor_id = ${user}`
        : patterns.names.length === 1
          ? sql`event = ${patterns.names[0]}`
          : patterns.kind !== undefined
            ? sql`${eventKind[engine]} = ${sql.lit(patterns.kind)}`
            : always,
    ...(from === undefined ? [] : [sql`time >= ${from}`]),
    ...(until === undefined ? [] : [sql`time < ${until}`]),
    ...(before ? [sql`(time, id) < (${before.time}, ${before.id})`] : []),
  ]
  return sql`select ${columns} from audit_events where ${sql.join(conditions, sql` and `)} order by time desc, id desc`
}

/** What `candidatesQuery` does not filter. */
function matches({ patterns, page, user }: FeedFilter): Condition {
  const names = sql<boolean>`event in (${sql.join(patterns.names.map(name => sql.lit(name)))})`
  return page !== undefined && user !== undefined ? sql`${names} and actor_id = ${user}` : names
}

/**
 * Newest first, at most `limit`. `next` is where to go on; a page may be short although there is more, because the
 * caller may not see most of what was read.
 */
export async function selectFeed(
  store: Store,
  visible: VisibleEvents,
  filter: FeedFilter,
  { before, limit }: { before?: Position | undefined; limit: number },
): Promise<{ rows: FeedRow[]; next: Position | undefined }> {
  const recent = candidatesQuery(store, filter, before)
  // Without an order of its own: the rows come in the order of the subquery, and reading ends with the last one needed.
  const query = sql`select id, time, event, actor_id, subject_id, detail
    from (${recent} limit ${sql.lit(maxRead)}) as audit_events
    where ${matches(filter)} and ${visibleEventCondition(store, visible)} limit ${sql.lit(limit + 1)}`
  const rows = (await store.read(query.compile(store.db))) as FeedRow[]
  if (rows.length > limit) return { rows: rows.slice(0, limit), next: rows[limit - 1] }
  const end = sql`${recent} limit 1 offset ${sql.lit(maxRead - 1)}`
  const [last] = (await store.read(end.compile(store.db))) as Position[]
  return { rows, next: last && { time: last.time, id: last.id } }
}

// ---- by id, for streams

/** What a stream reads of every event, to decide whom to show it to. */
export type TailRow = Pick<AuditEventsTable, 'event' | 'subject_id'> & { id: number }

export async function selectNewest(store: Store): Promise<number> {
  const query = sql<{ id: number | null }>`select max(id) as id from audit_events`.compile(store.db)
  return ((await store.read(query)) as { id: number | null }[])[0]!.id ?? 0
}

export async function selectTail(store: Store, after: number, limit: number): Promise<TailRow[]> {
  const query = store.db
    .selectFrom('audit_events')
    .select(['id', 'event', 'subject_id'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
  return (await store.read(query.compile())) as TailRow[]
}

/** In ms. An id that is still missing after this time is taken as rolled back: few transactions take as long. */
const recentMs = 10 * 60_000

/** Of the last `limit` ids up to `newest`: those of events of the last ten minutes. */
export async function selectRecentIds(store: Store, newest: number, limit: number): Promise<number[]> {
  const query = store.db
    .selectFrom('audit_events')
    .select('id')
    .where('id', '>', newest - limit)
    .where('id', '<=', newest)
    .where('time', '>', sql<number>`${now} - ${sql.lit(recentMs)}`)
    .orderBy('id')
  return ((await store.read(query.compile())) as { id: number }[]).map(({ id }) => id)
}

export interface Committed {
  found: TailRow[]
  /** The ids of the oldest transaction that is still running, and of the next one that begins. */
  oldestTransaction: bigint
  nextTransaction: bigint
}

/** PostgreSQL: which of the ids are committed by now, and the oldest and the next transaction at that moment. */
export async function selectCommitted(store: Store, ids: readonly number[]): Promise<Committed> {
  const query = sql`select pg_snapshot_xmin(pg_current_snapshot())::text as oldest_transaction,
    pg_snapshot_xmax(pg_current_snapshot())::text as next_transaction, (
      select coalesce(json_agg(json_build_object('id', id, 'event', event, 'subject_id', subject_id)), '[]')
      from audit_events where id = any(${ids})) as found`.compile(store.db)
  const [row] = (await store.read(query)) as [
    { oldest_transaction: string; next_transaction: string; found: TailRow[] },
  ]
  return {
    found: row.found,
    oldestTransaction: BigInt(row.oldest_transaction),
    nextTransaction: BigInt(row.next_transaction),
  }
}

/** The last of the next `count` ids, up to `until`. */
export async function selectBatchEnd(store: Store, after: number, until: number, count: number): Promise<number> {
  const query = store.db
    .selectFrom('audit_events')
    .select('id')
    .where('id', '>', after)
    .where('id', '<=', until)
    .orderBy('id')
    .limit(1)
    .offset(count - 1)
  const [row] = (await store.read(query.compile())) as { id: number }[]
  return row?.id ?? until
}

/** Which events of a stream: those with these ids, or those after one up to another. */
export type Span = readonly number[] | { after: number; until: number }

/** The events of a stream that the caller may see, the oldest first. */
export async function selectSpan(
  store: Store,
  visible: VisibleEvents,
  filter: FeedFilter,
  span: Span,
): Promise<FeedRow[]> {
  const { page, user } = filter
  const where = [
    'after' in span ? sql`id > ${span.after} and id <= ${span.until}` : sql`id in (${sql.join(span)})`,
    ...(page === undefined ? [] : [sql`page = ${page}`]),
    ...(user === undefined ? [] : [sql`actor_id = ${user}`]),
    matches({ patterns: filter.patterns }),
    visibleEventCondition(store, visible),
  ]
  const query = sql`select id, time, event, actor_id, subject_id, detail from audit_events
    where ${sql.join(where, sql` and `)} order by id`
  return (await store.read(query.compile(store.db))) as FeedRow[]
}

/** The titles of models in the trash, by `page://…` or `file://…`. */
export async function selectTrashTitles(store: Store, owners: readonly string[]): Promise<Map<string, string>> {
  if (owners.length === 0) return new Map()
  const query = store.db
    .selectFrom('trash')
    .select(['owner', 'title'])
    .where('owner', 'in', owners)
    .where('is_purged', '=', 0)
  const rows = (await store.read(query.compile())) as { owner: string; title: string }[]
  return new Map(rows.map(({ owner, title }) => [owner, title]))
}

import { type ExpressionBuilder, sql } from 'kysely'
import type { Database } from '../../platform/store/schema.ts'
import { now, type Store, type Tx } from '../../platform/store/store.ts'
import { draftRetentionMs } from '../drafts/replaced-drafts.ts'

/** The history of one owner, in one language or in all. Events belong to every language. */
export interface HistoryFilter {
  owner: string
  language: string | undefined
  /** Only versions, only overwritten drafts, or only events. */
  kind?: 'version' | 'draft' | 'event' | undefined
}

const columns = [
  'history.id',
  'history.language',
  'history.revision',
  'history.action',
  'history.time',
  'history.fields',
  'history.kind',
  'history.detail',
  'users.id as user',
  'users.name',
  'users.email',
  'users.role',
] as const

const versions = (store: Store | Tx) =>
  ('db' in store ? store.db : store)
    .selectFrom('history')
    .leftJoin('users', 'users.id', 'history.user_id')
    .select(columns)

type Version = Awaited<ReturnType<ReturnType<typeof versions>['executeTakeFirstOrThrow']>>

const matches =
  ({ owner, language, kind }: HistoryFilter) =>
  (eb: ExpressionBuilder<Database, 'history'>) =>
    eb.and([
      eb('history.owner', '=', owner),
      ...(kind === undefined ? [] : [eb('history.kind', '=', kind)]),
      ...(language === undefined
        ? []
        : [eb.or([eb('history.language', '=', language), eb('history.kind', '=', 'event')])]),
      eb.or([
        eb('history.kind', '<>', 'draft'),
        eb('history.time', '>', sql<number>`${now} - ${sql.lit(draftRetentionMs)}`),
      ]),
    ])

export type VersionRow = Version

/** Newest first, without content. */
export async function selectVersions(
  store: Store,
  of: HistoryFilter,
  { limit, offset }: { limit: number; offset: number },
) {
  const query = versions(store).where(matches(of)).orderBy('history.id', 'desc').limit(limit).offset(offset)
  return (await store.read(query.compile())) as VersionRow[]
}

export async function countVersions(store: Store, of: HistoryFilter): Promise<number> {
  const query = store.db
    .selectFrom('history')
    .select(eb => eb.fn.countAll<number>().as('total'))
    .where(matches(of))
  const [row] = (await store.read(query.compile())) as { total: number }[]
  return row!.total
}

export type WholeVersion = VersionRow & { data: string }

export async function selectVersion(store: Store | Tx, owner: string, id: number): Promise<WholeVersion | undefined> {
  return versions(store)
    .select('history.data')
    .where(matches({ owner, language: undefined }))
    .where('history.id', '=', id)
    .where('history.kind', '<>', 'event')
    .executeTakeFirst()
}

/** The content of the previous version in the same language, unless it was deleted. */
export async function selectDataBefore(store: Store, owner: string, { id, language }: VersionRow) {
  const query = store.db
    .selectFrom('history')
    .select('data')
    .where('owner', '=', owner)
    .where('language', '=', language)
    .where('kind', '=', 'version')
    .where('id', '<', id)
    .orderBy('id', 'desc')
    .limit(1)
  const [row] = (await store.read(query.compile())) as { data: string }[]
  return row?.data
}

// ---- deleting old versions in batches

export interface HistoryCursor {
  time: number
  id: number
}

/** Rows older than `age` ms, oldest first, after a cursor. */
export async function selectOld(
  store: Store,
  age: number,
  after: HistoryCursor,
  limit: number,
): Promise<HistoryCursor[]> {
  const query = store.db
    .selectFrom('history')
    .select(['time', 'id'])
    .where('time', '<', sql<number>`${now} - ${sql.lit(age)}`)
    .where(eb => eb.or([eb('time', '>', after.time), eb.and([eb('time', '=', after.time), eb('id', '>', after.id)])]))
    .where('time', '>=', after.time)
    .orderBy('time')
    .orderBy('id')
    .limit(limit)
  return (await store.read(query.compile())) as HistoryCursor[]
}

/** Deletes overwritten drafts older than `draftRetentionMs`. */
export async function deleteOldDrafts(tx: Tx, limit: number): Promise<bigint> {
  const { numDeletedRows } = await tx
    .deleteFrom('history')
    .where('id', 'in', old =>
      old
        .selectFrom('history')
        .select('id')
        .where('kind', '=', 'draft')
        .where('time', '<=', sql<number>`${now} - ${sql.lit(draftRetentionMs)}`)
        .orderBy('time')
        .limit(limit),
    )
    .executeTakeFirst()
  return numDeletedRows
}

/** Spares the newest row of each owner, language and kind. */
export async function deleteOutlived(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('history')
    .where('id', 'in', ids)
    .where(eb =>
      eb.exists(
        eb
          .selectFrom('history as newer')
          .select('newer.id')
          .whereRef('newer.owner', '=', 'history.owner')
          .whereRef('newer.language', '=', 'history.language')
          .whereRef('newer.kind', '=', 'history.kind')
          .whereRef('newer.id', '>', 'history.id'),
      ),
    )
    .execute()
}

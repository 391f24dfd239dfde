import { sql } from 'kysely'
import { isAmong, isPostgres } from '../../../platform/store/among.ts'
import { now, type Store, type Tx } from '../../../platform/store/store.ts'
import type { ReleaseItemsTable, ReleasesTable } from '../../../platform/store/tables/releases.ts'

// ---- committed rows

const releases = (store: Store) =>
  store.db
    .selectFrom('releases')
    .leftJoin('users', 'users.id', 'releases.user_id')
    .selectAll('releases')
    .select(['users.id as user', 'users.name as user_name', 'users.email', 'users.role'])

export type ReleaseRow = Awaited<ReturnType<ReturnType<typeof releases>['executeTakeFirstOrThrow']>>

/** Unpublished ones first, of these the next one that is due; then those published last. */
export async function selectReleases(
  store: Store,
  { offset, limit }: { offset: number; limit: number },
): Promise<ReleaseRow[]> {
  const query = releases(store)
    .orderBy(sql`releases.published_at is not null`)
    .orderBy('releases.published_at', 'desc')
    .orderBy(sql`releases.due_at is null`)
    .orderBy('releases.due_at')
    .orderBy('releases.created_at', 'desc')
    .orderBy('releases.id')
    .limit(limit)
    .offset(offset)
  return (await store.read(query.compile())) as ReleaseRow[]
}

export async function countReleases(store: Store): Promise<number> {
  const query = store.db.selectFrom('releases').select(eb => eb.fn.countAll<number>().as('total'))
  return ((await store.read(query.compile())) as { total: number }[])[0]!.total
}

export async function selectRelease(store: Store, id: string): Promise<ReleaseRow | undefined> {
  const query = releases(store).where('releases.id', '=', id)
  return ((await store.read(query.compile())) as ReleaseRow[])[0]
}

export type ItemRow = ReleaseItemsTable

/** The items of these releases, in the order in which they were added. */
export async function selectItems(store: Store, ids: readonly string[]): Promise<ItemRow[]> {
  if (ids.length === 0) return []
  const query = store.db.selectFrom('release_items').selectAll().where('release', 'in', ids).orderBy('position')
  return (await store.read(query.compile())) as ItemRow[]
}

/** The number of drafts of pages, with those of their files, and of files, by owner (`page://…`, `file://…`). */
export async function countDrafts(store: Store, owners: readonly string[]): Promise<Map<string, number>> {
  if (owners.length === 0) return new Map()
  const own = store.db
    .selectFrom('changes')
    .select('owner')
    .where(isAmong(store.db, 'owner', owners))
  const ofFiles = store.db
    .selectFrom('files')
    .innerJoin('changes', join => join.on('changes.owner', '=', sql<string>`'file://' || files.uuid`))
    .select('files.parent as owner')
    .where(isAmong(store.db, 'files.parent', owners))
  const rows = (await store.read(own.unionAll(ofFiles).compile())) as { owner: string }[]
  return new Map([...Map.groupBy(rows, row => row.owner)].map(([owner, found]) => [owner, found.length]))
}

// ---- inside a transaction

/** Locks a release until the end of the transaction, before anything else. */
export async function lockRelease(tx: Tx, id: string): Promise<ReleasesTable | undefined> {
  return tx
    .selectFrom('releases')
    .selectAll()
    .where('id', '=', id)
    .$if(isPostgres(tx), query => query.forUpdate())
    .executeTakeFirst()
}

export async function selectItemsNow(tx: Tx, id: string): Promise<ItemRow[]> {
  return tx.selectFrom('release_items').selectAll().where('release', '=', id).orderBy('position').execute()
}

export async function insertRelease(
  tx: Tx,
  { id, name, user }: { id: string; name: string; user: string | undefined },
): Promise<void> {
  const empty = { due_at: null, scheduled_at: null, problem: null, published_at: null }
  const row = { id, name, user_id: user ?? null, revision: 1, created_at: now, modified_at: now, ...empty }
  await tx.insertInto('releases').values(row).execute()
}

type ReleaseChange = Partial<Pick<ReleasesTable, 'name' | 'user_id' | 'due_at'>> & {
  /** Whether it is scheduled or published by this change. */
  isScheduled?: boolean
  isPublished?: boolean
}

/** Also clears what has held it. The release must be locked. */
export async function updateRelease(
  tx: Tx,
  id: string,
  { isScheduled = false, isPublished = false, ...change }: ReleaseChange,
): Promise<void> {
  const times = { ...(isScheduled && { scheduled_at: now }), ...(isPublished && { published_at: now }) }
  await tx
    .updateTable('releases')
    .set(eb => ({ ...change, ...times, problem: null, revision: eb('revision', '+', 1), modified_at: now }))
    .where('id', '=', id)
    .execute()
  const cleared = isPublished ? { problem: null, is_published: 1 } : { problem: null }
  await tx.updateTable('release_items').set(cleared).where('release', '=', id).execute()
}

export async function deleteReleaseRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('release_items').where('release', '=', id).execute()
  await tx.deleteFrom('releases').where('id', '=', id).execute()
}

export type NewItem = Pick<ItemRow, 'owner' | 'action' | 'status' | 'title' | 'template'>

const nextPosition = (release: string) =>
  sql<number>`(select coalesce(max(position), 0) + 1 from release_items where release = ${release})`

/** Replaces an item of the same page or file. False if it is in another release. */
export async function upsertItem(tx: Tx, release: string, item: NewItem): Promise<boolean> {
  const other = await tx
    .selectFrom('release_items')
    .select('release')
    .where('owner', '=', item.owner)
    .where('is_published', '=', 0)
    .where('release', '<>', release)
    .executeTakeFirst()
  if (other) return false
  await tx
    .insertInto('release_items')
    .values({ ...item, release, position: nextPosition(release), problem: null, is_published: 0 })
    .onConflict(conflict => conflict.columns(['release', 'owner']).doUpdateSet(item))
    .execute()
  return true
}

export async function deleteItems(tx: Tx, release: string, owners: readonly string[]): Promise<void> {
  if (owners.length === 0) return
  await tx
    .deleteFrom('release_items')
    .where('release', '=', release)
    .where(isAmong(tx, 'owner', owners))
    .execute()
}

/** Stores why items were refused, and with `problem` why the release is not tried again. It must be locked. */
export async function updateProblems(
  tx: Tx,
  id: string,
  items: ReadonlyMap<string, string>,
  problem?: string,
): Promise<void> {
  if (problem !== undefined) await tx.updateTable('releases').set({ problem }).where('id', '=', id).execute()
  await tx.updateTable('release_items').set({ problem: null }).where('release', '=', id).execute()
  for (const [owner, text] of items)
    await tx
      .updateTable('release_items')
      .set({ problem: text })
      .where('release', '=', id)
      .where('owner', '=', owner)
      .execute()
}

/** Where these pages are, by uuid. */
export async function selectPaths(tx: Tx, uuids: readonly string[]): Promise<Map<string, string>> {
  if (uuids.length === 0) return new Map()
  const rows = await tx
    .selectFrom('pages')
    .select(['uuid', 'path'])
    .where(isAmong(tx, 'uuid', uuids))
    .execute()
  return new Map(rows.map(({ uuid, path }) => [uuid, path]))
}

/** The parents of these files (`page://…`), by uuid. */
export async function selectParents(tx: Tx, uuids: readonly string[]): Promise<Map<string, string>> {
  if (uuids.length === 0) return new Map()
  const rows = await tx
    .selectFrom('files')
    .select(['uuid', 'parent'])
    .where(isAmong(tx, 'uuid', uuids))
    .execute()
  return new Map(rows.map(({ uuid, parent }) => [uuid, parent]))
}

/** The drafts of an owner, or of the files of a page. */
const drafts = (tx: Tx) =>
  tx.selectFrom('changes').select(['changes.owner', 'changes.language', 'changes.revision', 'changes.user_id'])
export type DraftRow = Awaited<ReturnType<ReturnType<typeof drafts>['executeTakeFirstOrThrow']>>

export async function selectDrafts(tx: Tx, owner: string): Promise<DraftRow[]> {
  return drafts(tx).where('owner', '=', owner).orderBy('language').execute()
}

export async function selectDraftsOfFiles(tx: Tx, parent: string): Promise<DraftRow[]> {
  return drafts(tx)
    .innerJoin('files', join => join.on('changes.owner', '=', sql<string>`'file://' || files.uuid`))
    .where('files.parent', '=', parent)
    .orderBy('changes.owner')
    .orderBy('changes.language')
    .execute()
}

/** Whether a page has a schedule of its own. */
export async function hasSchedule(tx: Tx, page: string): Promise<boolean> {
  const found = await tx.selectFrom('schedules').select('page').where('page', '=', page).executeTakeFirst()
  return found !== undefined
}

// ---- due releases

export type DueRelease = Pick<ReleasesTable, 'id' | 'due_at'>

const waiting = (store: Store) =>
  store.db
    .selectFrom('releases')
    .where('due_at', 'is not', null)
    .where('problem', 'is', null)
    .where('published_at', 'is', null)

export async function selectDueReleases(store: Store, limit: number): Promise<DueRelease[]> {
  const query = waiting(store).select(['id', 'due_at']).where('due_at', '<=', now).orderBy('due_at').limit(limit)
  return (await store.read(query.compile())) as DueRelease[]
}

/** Milliseconds until the next release is due; undefined if there is none. */
export async function selectReleaseWait(store: Store): Promise<number | undefined> {
  const query = waiting(store)
    .select(sql<number>`due_at - ${now}`.as('wait'))
    .orderBy('due_at')
    .limit(1)
  return ((await store.read(query.compile())) as { wait: number }[])[0]?.wait
}

// ---- row locks. SQLite has one writer at a time and needs none.

/** The paths of all pages below these. */
export async function selectPathsBelow(tx: Tx, paths: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const path of paths) {
    // `0` is the character after `/`, so this is the range of all paths that begin with `path/`.
    const query = tx.selectFrom('pages').select('path').where('path', '>', `${path}/`).where('path', '<', `${path}0`)
    found.push(...(await query.execute()).map(row => row.path))
  }
  return found
}

/** Locks these files, and the files of these pages that have drafts, always in the same order. */
export async function lockFiles(tx: Tx, files: readonly string[], parents: readonly string[]): Promise<void> {
  const hasDraft = sql<boolean>`exists (select 1 from changes where changes.owner = 'file://' || files.uuid)`
  await tx
    .selectFrom('files')
    .select('uuid')
    .where(eb => eb.or([isAmong(tx, 'files.uuid', files), eb.and([isAmong(tx, 'files.parent', parents), hasDraft])]))
    .orderBy('uuid')
    .forUpdate()
    .execute()
}

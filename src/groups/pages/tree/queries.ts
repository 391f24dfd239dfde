import { hasTemplate, type TemplateFilter } from '../../../access/authorize/templates.ts'
import { type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Database } from '../../../platform/store/schema.ts'
import type { PagesTable } from '../../../platform/store/tables/content.ts'
import { isAmong, isInList, type ListParameter, listParameter } from '../../../platform/store/among.ts'
import { deferredIn, now, prepared, preparedIn, type Store, type Tx } from '../../../platform/store/store.ts'
import { hasPageTemplate } from '../queries.ts'

// ---- row locks. SQLite has one writer at a time and needs none.

/**
 * Row locks. `share` (for key share): the page stays where it is, so that a page can be created or moved below it.
 * `siblings` (for no key update): the numbers of its children change. `subtree` (for update): it is moved or deleted
 * with its descendants, or one of its children gets a translated slug that no other child may get concurrently.
 */
export type LockMode = 'share' | 'siblings' | 'subtree'

const strengths: readonly LockMode[] = ['share', 'siblings', 'subtree']

/**
 * Locks the site (`''`) first, then pages in the order of their paths: the same order everywhere prevents deadlocks.
 * The caller must check afterwards whether the pages still exist.
 */
export async function lockPaths(store: Store, tx: Tx, locks: readonly (readonly [path: string, mode: LockMode])[]) {
  if (store.name === 'sqlite') return
  const strongest = new Map<string, LockMode>()
  for (const [path, mode] of locks) {
    const before = strongest.get(path)
    if (before === undefined || strengths.indexOf(before) < strengths.indexOf(mode)) strongest.set(path, mode)
  }
  const top = strongest.get('')
  if (top) await lockSite[top](tx, {})
  strongest.delete('')
  const ordered = [...strongest].toSorted(([one], [other]) => Buffer.from(one).compare(Buffer.from(other)))
  while (ordered.length > 0) {
    const [, mode] = ordered[0]!
    const end = ordered.findIndex(([, other]) => other !== mode)
    const paths = ordered.splice(0, end < 0 ? ordered.length : end).map(([path]) => path)
    await lockAt[mode](tx, { paths: listParameter(store, paths) })
  }
}

function withLock<Table extends 'pages' | 'site', Found>(
  query: SelectQueryBuilder<Database, Table, Found>,
  mode: LockMode,
) {
  if (mode === 'share') return query.forKeyShare()
  return mode === 'siblings' ? query.forNoKeyUpdate() : query.forUpdate()
}

const perMode = <Statement>(statement: (mode: LockMode) => Statement): Record<LockMode, Statement> => ({
  share: statement('share'),
  siblings: statement('siblings'),
  subtree: statement('subtree'),
})
const lockSite = perMode(mode => deferredIn<object>()([], db => withLock(db.selectFrom('site').select('one'), mode)))
const lockAt = perMode(mode =>
  deferredIn<{ paths: ListParameter }>()(['paths'], (db, { paths }) =>
    withLock(
      db
        .selectFrom('pages')
        .select('uuid')
        .where(isInList(db, 'path', paths))
        .orderBy('path'),
      mode,
    ),
  ),
)

/** Whether any of these paths is a draft. */
export async function isAnyDraft(tx: Tx, paths: readonly string[]): Promise<boolean> {
  if (paths.length === 0) return false
  const found = await tx
    .selectFrom('pages')
    .select('uuid')
    .where('status', '=', 'draft')
    .where(isAmong(tx, 'path', paths))
    .limit(1)
    .execute()
  return found.length > 0
}

/**
 * Only for PostgreSQL: locks one page for a change of it or of what belongs to it. Pages can be created below it
 * concurrently.
 */
export const lockPageRow = deferredIn<{ uuid: string }>()(['uuid'], (db, { uuid }) =>
  db.selectFrom('pages').select('uuid').where('uuid', '=', uuid).forNoKeyUpdate(),
)

const pathByUuid = preparedIn<{ uuid: string }>()(['uuid'], (db, { uuid }) =>
  db.selectFrom('pages').select('path').where('uuid', '=', uuid),
)

export async function selectPath(tx: Tx, uuid: string): Promise<string | undefined> {
  const { rows } = await pathByUuid(tx, { uuid })
  return rows[0]?.path
}

const committedPathOf = prepared((db, uuid: string) => db.selectFrom('pages').select('path').where('uuid', '=', uuid))

/** Whether a page has at least `count` descendants, as committed. */
export async function hasBelow(store: Store, uuid: string, count: number): Promise<boolean> {
  const [page] = await committedPathOf(store, uuid)
  if (!page) return false
  const query = store.db.selectFrom('pages').select('uuid').where(isBelow(page.path)).limit(count)
  return (await store.read(query.compile())).length === count
}

// ---- one page

export type NewPageRow = Omit<PagesTable, 'revision' | 'created_at' | 'modified_at'>

const insertWhereFree = preparedIn<NewPageRow>()(
  ['uuid', 'parent', 'path', 'slug', 'status', 'num', 'template'],
  (db, page) =>
    db
      .insertInto('pages')
      .values({ ...page, revision: 1, created_at: now, modified_at: now })
      .onConflict(conflict => conflict.doNothing()),
)

/** False if the path or the uuid is taken. */
export async function insertPage(tx: Tx, page: NewPageRow): Promise<boolean> {
  const { numAffectedRows } = await insertWhereFree(tx, page)
  return numAffectedRows === 1n
}

export async function insertPages(tx: Tx, pages: readonly NewPageRow[]): Promise<void> {
  const times = { revision: 1, created_at: now, modified_at: now }
  await tx
    .insertInto('pages')
    .values(pages.map(page => ({ ...page, ...times })))
    .execute()
}

/** Undefined if the path is free. */
export async function selectAt(tx: Tx, path: string): Promise<Pick<TreeNode, 'status' | 'template'> | undefined> {
  return tx.selectFrom('pages').select(['status', 'template']).where('path', '=', path).executeTakeFirst()
}

/** Increments the revision and returns it. The page must be locked. */
export async function updatePageRow(
  tx: Tx,
  uuid: string,
  change: Partial<Pick<PagesTable, 'status' | 'num' | 'template' | 'parent'>> = {},
): Promise<number> {
  const { revision } = await tx
    .updateTable('pages')
    .set(eb => ({ ...change, revision: eb('revision', '+', 1), modified_at: now }))
    .where('uuid', '=', uuid)
    .returning('revision')
    .executeTakeFirstOrThrow()
  return revision
}

/** Increments the revision of a locked page. Returns what has changed. */
export const raisePageRevision = preparedIn<{ uuid: string }>()(['uuid'], (db, { uuid }) =>
  db
    .updateTable('pages')
    .set(eb => ({ revision: eb('revision', '+', 1), modified_at: now }))
    .where('uuid', '=', uuid)
    .returning(['revision', 'modified_at']),
)

/** Stores a number that is computed from the content. */
export async function updateNum(tx: Tx, uuid: string, num: number): Promise<void> {
  await tx.updateTable('pages').set({ num }).where('uuid', '=', uuid).where('num', '<>', num).execute()
}

// ---- descendants

const isBelow = (path: string) => (eb: ExpressionBuilder<Database, 'pages'>) =>
  // `0` is the character after `/`, so this is the range of all paths that begin with `path/`.
  eb.and([eb('pages.path', '>', `${path}/`), eb('pages.path', '<', `${path}0`)])

export type TreeNode = Pick<PagesTable, 'uuid' | 'parent' | 'path' | 'slug' | 'status' | 'num' | 'template'>

/** Rows per statement, so that no statement takes long. */
const batchSize = 500

/** All descendants, parents first, in batches. The page must be locked with `subtree`. */
export async function* selectBelow(tx: Tx, path: string): AsyncGenerator<TreeNode[]> {
  for (let last = `${path}/`; ;) {
    const rows = await tx
      .selectFrom('pages')
      .select(['uuid', 'parent', 'path', 'slug', 'status', 'num', 'template'])
      .where(isBelow(path))
      .where('path', '>', last)
      .orderBy('path')
      .limit(batchSize)
      .execute()
    if (rows.length === 0) return
    yield rows
    last = rows.at(-1)!.path
  }
}

/** Locks all descendants, parents first. The page must be locked with `subtree`. */
export async function lockBelow({ name }: Store, tx: Tx, path: string): Promise<void> {
  if (name === 'sqlite') return
  for (let last: string | undefined = `${path}/`; last !== undefined;) {
    const held = tx
      .selectFrom('pages')
      .select('path')
      .where(isBelow(path))
      .where('path', '>', last)
      .orderBy('path')
      .limit(batchSize)
      .forUpdate()
    const rows: { last: string | null; count: number }[] = await tx
      .selectFrom(held.as('held'))
      .select(eb => [eb.fn.max('path').as('last'), eb.fn.countAll<number>().as('count')])
      .execute()
    last = rows[0]!.count < batchSize ? undefined : rows[0]!.last!
  }
}

/** Replaces the path prefix of these pages, which must be consecutive in the order of paths. */
export async function updatePaths(tx: Tx, { from, to }: { from: string; to: string }, nodes: readonly TreeNode[]) {
  const rest = sql<string>`substr(pages.path, length(cast(${from} as text)) + 1)`
  await tx
    .updateTable('pages')
    .set({ path: sql<string>`cast(${to} as text) || ${rest}` })
    .where('path', '>=', nodes[0]!.path)
    .where('path', '<=', nodes.at(-1)!.path)
    .where(isBelow(from))
    .execute()
}

/** Changes one page; its descendants are changed with `updatePaths`. */
export async function updatePath(tx: Tx, uuid: string, place: { path: string; slug: string }): Promise<void> {
  await tx.updateTable('pages').set(place).where('uuid', '=', uuid).execute()
}

/** Removes the child counts of deleted pages. */
export async function deleteCounts(tx: Tx, uuids: readonly string[]): Promise<void> {
  await tx.deleteFrom('page_counts').where('parent', 'in', uuids).where('count', '=', 0).execute()
}

// ---- contents and slugs of many pages

export async function selectContentsOf(tx: Tx, owners: readonly string[]) {
  return tx.selectFrom('contents').select(['owner', 'language', 'data']).where('owner', 'in', owners).execute()
}

export async function selectSlugsOf(tx: Tx, uuids: readonly string[]) {
  return tx.selectFrom('page_slugs').selectAll().where('page', 'in', uuids).execute()
}

export async function insertSlugs(tx: Tx, rows: readonly { page: string; language: string; slug: string }[]) {
  await tx.insertInto('page_slugs').values(rows).execute()
}

/** The files of these owners. */
export async function selectFilenamesOf(tx: Tx, owners: readonly string[]) {
  return tx.selectFrom('files').select(['uuid', 'parent', 'name_key']).where('parent', 'in', owners).execute()
}

// ---- counts

export async function countChildrenNow(tx: Tx, parent: string) {
  return tx
    .selectFrom('page_counts')
    .select(['template', 'status', 'count'])
    .where('parent', '=', parent)
    .where('count', '>', 0)
    .execute()
}

/** The number of files, of one template or of all. */
export async function countFilesNow(tx: Tx, owner: string, template: string | undefined): Promise<number> {
  const { total } = await tx
    .selectFrom('files')
    .select(eb => eb.fn.countAll<number>().as('total'))
    .where('parent', '=', owner)
    .$if(template !== undefined, query => query.where('template', '=', template!))
    .executeTakeFirstOrThrow()
  return total
}

// ---- numbers

/** The listed siblings that are numbered by position. */
export interface NumberedSiblings {
  parent: string
  templates: TemplateFilter
}

const isNumbered =
  ({ parent, templates }: NumberedSiblings) =>
  (eb: ExpressionBuilder<Database, 'pages'>) =>
    eb.and([eb('pages.parent', '=', parent), eb('pages.status', '=', 'listed'), hasPageTemplate(templates)(eb)])

/** The count of numbered siblings, and their highest number. */
export async function selectLastNumber(tx: Tx, siblings: NumberedSiblings): Promise<{ count: number; last: number }> {
  const counted = await tx
    .selectFrom('page_counts')
    .select(['template', 'count'])
    .where('parent', '=', siblings.parent)
    .where('status', '=', 'listed')
    .execute()
  const count = counted
    .filter(({ template }) => hasTemplate(siblings.templates, template))
    .reduce((sum, one) => sum + one.count, 0)
  const last = await tx
    .selectFrom('pages')
    .select('num')
    .where(isNumbered(siblings))
    .orderBy('num', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { count, last: last?.num ?? 0 }
}

export async function selectNum(tx: Tx, uuid: string): Promise<number | null> {
  const { num } = await tx.selectFrom('pages').select('num').where('uuid', '=', uuid).executeTakeFirstOrThrow()
  return num
}

/** Numbers the siblings 1, 2, 3 … in their current order, and updates only rows that change. */
export async function updateNumbers(tx: Tx, siblings: NumberedSiblings): Promise<void> {
  await tx
    .updateTable('pages')
    .from(
      tx
        .selectFrom('pages')
        .select(['pages.uuid', sql<number>`row_number() over (order by pages.num, pages.slug)`.as('position')])
        .where(isNumbered(siblings))
        .as('counted'),
    )
    .set({ num: sql<number>`counted.position` })
    .whereRef('pages.uuid', '=', 'counted.uuid')
    .where(sql<boolean>`pages.num is distinct from counted.position`)
    .execute()
}

/** Adds `by` to all numbers from `from` to `until`. */
export async function updateNumbersBetween(
  tx: Tx,
  siblings: NumberedSiblings,
  { from, until = Number.MAX_SAFE_INTEGER, by }: { from: number; until?: number; by: 1 | -1 },
): Promise<void> {
  await tx
    .updateTable('pages')
    .set(eb => ({ num: eb('num', '+', by) }))
    .where(isNumbered(siblings))
    .where('num', '>=', from)
    .where('num', '<=', until)
    .execute()
}

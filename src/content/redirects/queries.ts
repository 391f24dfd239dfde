import { type RawBuilder, sql } from 'kysely'
import { isAmong, isPostgres } from '../../platform/store/among.ts'
import type { PagesTable, RedirectsTable } from '../../platform/store/tables/content.ts'
import { now, prepared, type Store, type Tx } from '../../platform/store/store.ts'

/** Where a page is in one language: the key of the language, and the path of its slugs in that language. */
export interface LocalizedPath {
  language: string
  path: string
}

/** In bytes: longer ones do not fit into an index of PostgreSQL. */
const maxIndexedPathBytes = 2000

/** The translated slugs of the pages at these paths. */
export async function selectSlugsAt(tx: Tx, paths: readonly string[]) {
  return tx
    .selectFrom('pages')
    .innerJoin('page_slugs', 'page_slugs.page', 'pages.uuid')
    .select(['pages.path', 'page_slugs.language', 'page_slugs.slug'])
    .where(isAmong(tx, 'pages.path', paths))
    .execute()
}

/** Which pages: only one, or also all of its descendants. */
export interface Subtree {
  uuid: string
  /** The addresses of the page itself. */
  addresses: readonly LocalizedPath[]
  withDescendants: boolean
}

/** PostgreSQL requires the same collation in both parts of a recursive query. */
const codePointCollation = (tx: Tx) => sql.raw(isPostgres(tx) ? 'collate "C"' : '')

/** The recursive part of `addresses`: the children of the pages in it. */
const descendantsOf = (tx: Tx) => sql`union all
  select addresses.language, pages.uuid, pages.status,
    (addresses.path || '/' || coalesce(page_slugs.slug, pages.slug)) ${codePointCollation(tx)}
  from addresses join pages on pages.parent = addresses.uuid
  left join page_slugs on page_slugs.page = pages.uuid and page_slugs.language = addresses.language`

/** `addresses (language, uuid, status, path)`: all addresses in the subtree, computed from those of its root. */
function addressesIn(tx: Tx, { uuid, addresses, withDescendants }: Subtree): RawBuilder<unknown> {
  const roots = addresses.map(
    ({ language, path }) => sql`(cast(${language} as text), cast(${path} as text) ${codePointCollation(tx)})`,
  )
  return sql`with recursive roots (language, path) as (values ${sql.join(roots)}),
    addresses (language, uuid, status, path) as (
      select roots.language, pages.uuid, pages.status, roots.path from roots, pages where pages.uuid = ${uuid}
      ${withDescendants ? descendantsOf(tx) : sql``}
    )`
}

/**
 * Adds a redirect from every address of a published page, in one statement. An address belongs to its last page, but a
 * redirect that an editor has entered stays as it is.
 */
export async function insertAddresses(tx: Tx, subtree: Subtree): Promise<void> {
  await sql`${addressesIn(tx, subtree)}
    insert into redirects (language, path, page, target, is_automatic, created_at, modified_at)
    select language, path, max(uuid), null, 1, ${now}, ${now} from addresses
    where status <> 'draft' and octet_length(path) <= ${sql.lit(maxIndexedPathBytes)} group by language, path
    on conflict (language, path) do update
    set page = excluded.page, target = null, modified_at = excluded.modified_at
    where redirects.is_automatic = 1`.execute(tx)
}

/** Deletes the automatic redirects from addresses that published pages in the subtree have. */
export async function deleteAtAddresses(tx: Tx, subtree: Subtree): Promise<void> {
  await sql`${addressesIn(tx, subtree)}
    delete from redirects where id in (
      select redirects.id from addresses
      join redirects on redirects.language = addresses.language and redirects.path = addresses.path
      where addresses.status <> 'draft' and redirects.is_automatic = 1
    )`.execute(tx)
}

// ---- all automatic redirects

const automaticAfter = prepared((db, id: number, limit: number) =>
  db
    .selectFrom('redirects')
    .select('id')
    .where('is_automatic', '=', 1)
    .where('page', 'is not', null)
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit),
)

/** The ids of the next automatic redirects to pages. */
export const selectAutomatic = async (store: Store, after: number, limit: number): Promise<number[]> =>
  (await automaticAfter(store, after, limit)).map(({ id }) => id)

/** Locked: a page that is moved meanwhile leaves its redirect before or after this transaction. */
export async function lockAutomatic(tx: Tx, ids: readonly number[]): Promise<(LocalizedPath & { id: number })[]> {
  return tx
    .selectFrom('redirects')
    .select(['id', 'language', 'path'])
    .where('id', 'in', ids)
    .where('is_automatic', '=', 1)
    .orderBy('id')
    .$if(isPostgres(tx), query => query.forUpdate())
    .execute()
}

export async function deleteRedirects(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.deleteFrom('redirects').where('id', 'in', ids).execute()
}

/** A page on the way from the top level to an address. */
export type PageOnPath = Pick<PagesTable, 'uuid' | 'path' | 'status'>

/** The pages with these ids. */
export async function selectPagesAt(tx: Tx, paths: readonly string[]) {
  return tx
    .selectFrom('pages')
    .select(['uuid', 'path', 'status'])
    .where(isAmong(tx, 'path', paths))
    .execute()
}

/** The children of these pages that have one of the slugs as a translation. */
export async function selectTranslated(
  tx: Tx,
  { languages, slugs, parents }: { languages: readonly string[]; slugs: readonly string[]; parents: readonly string[] },
) {
  return tx
    .selectFrom('page_slugs')
    .innerJoin('pages', 'pages.uuid', 'page_slugs.page')
    .select(['page_slugs.language', 'page_slugs.slug', 'pages.parent', 'pages.uuid', 'pages.path', 'pages.status'])
    .where(isAmong(tx, 'page_slugs.language', languages))
    .where(isAmong(tx, 'page_slugs.slug', slugs))
    .where(isAmong(tx, 'pages.parent', parents))
    .execute()
}

// ---- deleted pages

/** Also replaces these pages where they were the successors of others, so that a successor is found in one step. */
export async function insertSuccessors(tx: Tx, pages: readonly string[], successor: string): Promise<void> {
  await tx
    .insertInto('page_successors')
    .values(pages.map(page => ({ page, successor })))
    .onConflict(conflict => conflict.column('page').doUpdateSet({ successor }))
    .execute()
  await tx
    .updateTable('page_successors')
    .set({ successor })
    .where(isAmong(tx, 'successor', pages))
    .execute()
}

/** For restored pages: they take their places again. */
export async function deleteSuccessorsBelow(tx: Tx, path: string): Promise<void> {
  const restored = tx
    .selectFrom('pages')
    .select('uuid')
    // `0` is the character after `/`.
    .where(eb => eb.or([eb('path', '=', path), eb.and([eb('path', '>', `${path}/`), eb('path', '<', `${path}0`)])]))
  await tx.deleteFrom('page_successors').where('page', 'in', restored).execute()
}

/** For pages that are deleted permanently: their redirects lead to the successor from now on, or are deleted. */
export async function deletePurgedPages(tx: Tx, pages: readonly string[]): Promise<void> {
  if (pages.length === 0) return
  // The uuid of a page in the trash may be used by a new page.
  const isGone = sql<boolean>`not exists (select 1 from pages where pages.uuid = redirects.page)`
  await tx
    .updateTable('redirects')
    .from('page_successors')
    .set({ page: sql<string>`page_successors.successor` })
    .whereRef('page_successors.page', '=', 'redirects.page')
    .where(isAmong(tx, 'redirects.page', pages))
    .where(isGone)
    .execute()
  await tx
    .deleteFrom('redirects')
    .where(isAmong(tx, 'redirects.page', pages))
    .where(isGone)
    .execute()
  await tx
    .deleteFrom('page_successors')
    .where(eb => eb.or([isAmong(tx, 'page', pages), isAmong(tx, 'successor', pages)]))
    .execute()
}

// ---- finding

/** A redirect, and the uuid of the page it leads to now. */
export type FoundRedirect = Pick<RedirectsTable, 'path' | 'page' | 'target'> & { id: number; is_automatic: number }

/** The existing page, or the successor of a deleted one. */
const currentPage = sql<string | null>`coalesce(
  (select pages.uuid from pages where pages.uuid = redirects.page),
  (select page_successors.successor from page_successors where page_successors.page = redirects.page)
)`

const byAddress = prepared(
  (db, language: string, path: string, other: string, fullPath: string, otherFullPath: string) =>
    db
      .selectFrom('redirects')
      .select(['id', 'path', 'target', 'is_automatic', currentPage.as('page')])
      .where(eb =>
        eb.or([
          eb.and([eb('language', '=', language), eb('path', 'in', [path, other])]),
          eb.and([eb('language', '=', '*'), eb('path', 'in', [fullPath, otherFullPath])]),
        ]),
      )
      .orderBy('modified_at', 'desc')
      .orderBy('id', 'desc'),
)

/** The redirects from an address, the newest first. `fullPath` is its path with the prefix of the language. */
export async function selectRedirectsFrom(
  store: Store,
  { language, path }: LocalizedPath,
  fullPath: string,
): Promise<FoundRedirect[]> {
  return byAddress(store, language, path, path.toLowerCase(), fullPath, fullPath.toLowerCase())
}

import { type RawBuilder, sql } from 'kysely'
import type { RedirectsTable } from '../../../platform/store/tables/content.ts'
import { now, type Store, type Tx } from '../../../platform/store/store.ts'

/** A redirect, with the uuid of the existing page it leads to: the page itself, or the successor of a deleted one. */
export type RedirectRow = Omit<RedirectsTable, 'id'> & { id: number }

const redirects = ({ db }: Pick<Store, 'db'>) =>
  db
    .selectFrom('redirects')
    .leftJoin('pages as own', 'own.uuid', 'redirects.page')
    .leftJoin('page_successors', 'page_successors.page', 'redirects.page')
    .leftJoin('pages as successor', 'successor.uuid', 'page_successors.successor')

const columns = [
  'redirects.id', 'redirects.language', 'redirects.path', 'redirects.target', 'redirects.is_automatic',
  'redirects.created_at', 'redirects.modified_at',
] as const // prettier-ignore
const page = sql<string | null>`coalesce(own.uuid, successor.uuid)`

/**
 * Automatic redirects to drafts and to deleted pages lead nowhere until the page is published or restored. Those with
 * neither page nor target lead to a language.
 */
function listed(store: Store, search: readonly string[]) {
  const query = redirects(store).where(eb =>
    eb.or([
      eb('redirects.is_automatic', '=', 0),
      eb.and([eb('redirects.page', 'is', null), eb('redirects.target', 'is', null)]),
      eb(sql<string>`coalesce(own.status, successor.status)`, '<>', 'draft'),
    ]),
  )
  if (search.length === 0) return query
  const texts = [sql`redirects.path`, sql`redirects.target`, sql`coalesce(own.path, successor.path)`]
  return query.where(eb => eb.or(search.flatMap(word => texts.map(text => contains(text, word)))))
}

function contains(text: RawBuilder<unknown>, word: string): RawBuilder<boolean> {
  const pattern = `%${word.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return sql<boolean>`lower(${text}) like ${pattern} escape '\\'`
}

export async function countRedirects(store: Store, search: readonly string[]): Promise<number> {
  const query = listed(store, search).select(eb => eb.fn.countAll<number>().as('total'))
  return ((await store.read(query.compile())) as { total: number }[])[0]!.total
}

/** The newest first. */
export async function selectRedirects(
  store: Store,
  search: readonly string[],
  { offset, limit }: { offset: number; limit: number },
): Promise<RedirectRow[]> {
  const query = listed(store, search)
    .select([...columns, page.as('page')])
    .orderBy('redirects.id', 'desc')
    .limit(limit)
    .offset(offset)
  return (await store.read(query.compile())) as RedirectRow[]
}

export async function selectRedirect(store: Store, id: number): Promise<RedirectRow | undefined> {
  const query = redirects(store)
    .select([...columns, page.as('page')])
    .where('redirects.id', '=', id)
  return ((await store.read(query.compile())) as RedirectRow[])[0]
}

export type RedirectTarget = Pick<RedirectsTable, 'page' | 'target'>
export type RedirectSource = Pick<RedirectsTable, 'language' | 'path'>

/** Replaces an automatic one. Undefined if there is already a manual redirect from this address. */
export async function insertRedirect(tx: Tx, row: RedirectSource & RedirectTarget): Promise<number | undefined> {
  const values = { ...row, is_automatic: 0, created_at: now, modified_at: now }
  const inserted = await tx
    .insertInto('redirects')
    .values(values)
    .onConflict(conflict =>
      conflict.columns(['language', 'path']).doUpdateSet(values).where('redirects.is_automatic', '=', 1),
    )
    .returning('id')
    .executeTakeFirst()
  return inserted?.id
}

/** False if there is no such redirect. */
export async function updateRedirect(
  tx: Tx,
  id: number,
  change: Partial<RedirectSource> & Partial<RedirectTarget>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('redirects')
    .set({ ...change, is_automatic: 0, modified_at: now })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** False if there is no such redirect. */
export async function deleteRedirectRow(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('redirects').where('id', '=', id).executeTakeFirst()
  return numDeletedRows === 1n
}

/** Whether another redirect has this address. */
export async function isAddressTaken(tx: Tx, { language, path }: RedirectSource, except: number): Promise<boolean> {
  const found = await tx
    .selectFrom('redirects')
    .select('id')
    .where('language', '=', language)
    .where('path', '=', path)
    .where('id', '<>', except)
    .executeTakeFirst()
  return found !== undefined
}

import { isAmong } from '../../../platform/store/among.ts'
import type { Store, Tx } from '../../../platform/store/store.ts'
import { batchSize, selectInBatches, selectRaw } from '../queries.ts'

export interface CheckedRedirect {
  id: number
  language: string
  path: string
  page: string | null
  target: string | null
  is_automatic: number
  /** The uuid of the page that exists, or of its successor. */
  leads_to: string | null
}

const exists = (uuid: string) => `exists (select 1 from pages where pages.uuid = ${uuid})`

const checkedRedirects = `select id, language, path, page, target, is_automatic,
  case when ${exists('redirects.page')} then page
    else (select successor from page_successors where page_successors.page = redirects.page) end as leads_to
  from redirects`

export const selectRedirectBatches = (store: Store) =>
  selectInBatches(
    after =>
      selectRaw<CheckedRedirect>(store, `${checkedRedirects} where id > ? order by id limit ${batchSize}`, after || 0),
    ({ id }) => String(id),
  )

export async function selectRedirectsById(store: Store, ids: readonly number[]): Promise<CheckedRedirect[]> {
  return selectRaw(store, `${checkedRedirects} where id in (${ids.map(() => '?').join(', ')})`, ...ids)
}

/** Which of these pages are in the trash, and can come back. One statement: `trash_rows` has no index for it. */
export async function selectTrashedPages(store: Store, uuids: readonly string[]): Promise<Set<string>> {
  if (uuids.length === 0) return new Set()
  const query = store.db
    .selectFrom('trash_rows')
    .select('owner')
    .where('kind', '=', 'pages')
    .where(isAmong(store.db, 'owner', uuids))
  return new Set(((await store.read(query.compile())) as { owner: string }[]).map(({ owner }) => owner))
}

/** Successors that do not exist (any more), and whether they have a successor themselves. */
export async function selectGoneSuccessors(store: Store) {
  return selectRaw<{ page: string; successor: string; is_replaced: number }>(
    store,
    `select page, successor, case when exists (
       select 1 from page_successors as others where others.page = page_successors.successor
     ) then 1 else 0 end as is_replaced
     from page_successors where not ${exists('successor')}`,
  )
}

/** Deletes the automatic ones among wrong redirects: those that were added manually need a decision. */
export async function deleteWrongRedirects(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.deleteFrom('redirects').where('id', 'in', ids).where('is_automatic', '=', 1).execute()
}

export async function deleteSuccessors(tx: Tx, pages: readonly string[]): Promise<void> {
  await tx.deleteFrom('page_successors').where('page', 'in', pages).execute()
}

import { batched } from '../store/batch.ts'
import { prepared, type Store } from '../store/store.ts'

const selectAll = prepared(db => db.selectFrom('languages').selectAll().orderBy('code'))

export type LanguageRow = Awaited<ReturnType<typeof selectAll>>[number]

const everything = batched(
  async store => [await selectAll(store)],
  () => 'all',
)

interface Known {
  version: number
  rows: LanguageRow[]
}

const known = new WeakMap<Store, Known>()

/** All of them, by their codes. Where the store can tell that nothing has changed they are not read again. */
export async function selectLanguages(store: Store): Promise<LanguageRow[]> {
  const version = store.version()?.number
  const last = known.get(store)
  if (last && last.version === version) return last.rows
  const rows = (version === undefined ? await everything(store, 'all') : await selectAll(store)) ?? []
  if (version !== undefined) known.set(store, { version, rows })
  return rows
}

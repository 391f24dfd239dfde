import { CompiledQuery, sql } from 'kysely'
import type { Status } from '../../blueprints/blueprints.ts'
import type { ContentLanguage } from '../../http/look.ts'
import { only } from '../../languages/languages.ts'
import { placeIn } from '../../search/search.ts'
import { hitsOf } from '../../search/queries.ts'
import type { Question } from '../../search/words.ts'
import { type EngineName, prepared, type Store } from '../../store/store.ts'
import { type PageRow, read, selectPages, type Wanted, wantedOnly } from '../queries.ts'

/** Pages that may be looked at: of all of the site, or the children of one (`''`: those at the top). */
export interface Among extends Wanted {
  parent: string | undefined
}

/** A word of a question in a page, or its beginning in the title of the page. */
export interface Hit {
  /** In one language. */
  id: number
  uuid: string
  path: string
  points: number
}

const titleEquals = 2_000_000
const titleBegins = 1_000_000
/** So many rows of one word are looked at, whether the caller may see their pages or not. */
const mostRows = 20_000

/** At most `most` for every word and each kind of places, and as many titles. */
export async function selectHits(store: Store, question: Question, among: Among, most: number): Promise<Hit[]> {
  const { given, parameters } = parametersOf(store)
  const { title } = question
  const titles = () => `select search_rows.id, pages.uuid, pages.path,
      case when search_rows.title_key = ${given(title)} then ${titleEquals} else ${titleBegins} end as points
    from search_rows join pages on pages.uuid = search_rows.page
    where ${isTitled(title, given)} and ${isWanted(among, given)} order by search_rows.title_key limit ${most}`
  const parts = (await hitsIn(store, question, among)).map(
    ({ ids, question: asked, points }) =>
      `select search_rows.id, pages.uuid, pages.path, ${points} as points
        from (${ids(given(asked))}) as found join search_rows on search_rows.id = found.id
        join pages on pages.uuid = search_rows.page
        where ${isWanted(among, given)} limit ${most}`,
  )
  const text = [...parts, titles()].map(part => `select * from (${part}) as hits`).join(' union all ')
  return (await store.read(CompiledQuery.raw(text, parameters))) as Hit[]
}

/** How many pages there are, each once; at most `most` for every word. */
export async function countFound(store: Store, question: Question, among: Among, most: number): Promise<number> {
  const { given, parameters } = parametersOf(store)
  const isAny =
    among.parent === undefined && !among.templates && among.except.length === 0 && among.statuses.length === 3
  const join = isAny ? '' : 'join pages on pages.uuid = search_rows.page'
  const wanted = () => (isAny ? 'search_rows.page is not null' : isWanted(among, given))
  const parts = (await hitsIn(store, question, among)).map(
    ({ ids, question: asked }) => `select search_rows.page from (${ids(given(asked))}) as found
      join search_rows on search_rows.id = found.id ${join} where ${wanted()} limit ${most}`,
  )
  const titles = `select search_rows.page from search_rows ${join}
    where ${isTitled(question.title, given)} and ${wanted()} limit ${most}`
  const text = [...parts, titles].map(part => `select * from (${part}) as hits`).join(' union ')
  const rows = await store.read(CompiledQuery.raw(`select count(*) as count from (${text}) as pages`, parameters))
  return (rows[0] as { count: number }).count
}

function hitsIn(store: Store, question: Question, { parent }: Among) {
  return hitsOf(store, question, { place: parent === undefined ? undefined : placeIn(parent), most: mostRows })
}

/** The texts are written by hand: putting them together from parts would take longer than finding a word. */
function parametersOf(store: Store) {
  const parameters: unknown[] = []
  const given = (value: unknown) => {
    parameters.push(value)
    return store.name === 'postgres' ? `$${parameters.length}` : '?'
  }
  return { given, parameters }
}

type Given = (value: unknown) => string

const isTitled = (title: string, given: Given) =>
  `search_rows.title_key >= ${given(title)} and search_rows.title_key < ${given(`${title}\u{10ffff}`)}`

function isWanted({ parent, statuses, templates, except }: Among, given: Given): string {
  const isOne = (column: string, values: readonly string[]) =>
    values.length === 0 ? '1 = 0' : `${column} in (${values.map(given).join(', ')})`
  return [
    ...(parent === undefined ? [] : [`pages.parent = ${given(parent)}`]),
    isOne('pages.status', statuses),
    ...(templates ? [isOne('pages.template', templates)] : []),
    ...(except.length > 0 ? [`not ${isOne('pages.template', except)}`] : []),
  ].join(' and ')
}

const listed = {
  sqlite: (uuids: string) => sql<string>`(select value from json_each(${uuids}))`,
  postgres: (uuids: string) => sql<string>`(select jsonb_array_elements_text(${uuids}::jsonb))`,
}
const byUuids = (engine: EngineName) => ({
  inDefault: prepared((db, key: string, uuids: string) =>
    selectPages(db, { ...only, key, fallback: key }).where('pages.uuid', 'in', listed[engine](uuids)),
  ),
  inBoth: prepared((db, key: string, fallback: string, uuids: string) =>
    selectPages(db, { ...only, key, fallback }).where('pages.uuid', 'in', listed[engine](uuids)),
  ),
})
const byUuidsOn = { sqlite: byUuids('sqlite'), postgres: byUuids('postgres') }

/** In the order in which they are asked for. */
export async function selectByUuids(
  store: Store,
  { key, fallback }: ContentLanguage,
  uuids: readonly string[],
): Promise<PageRow[]> {
  if (uuids.length === 0) return []
  const { inDefault, inBoth } = byUuidsOn[store.name]
  const list = JSON.stringify(uuids)
  const rows: PageRow[] =
    key === fallback ? await inDefault(store, key, list) : await inBoth(store, key, fallback, list)
  const byUuid = new Map(rows.map(row => [row.uuid, row]))
  return uuids.flatMap(uuid => byUuid.get(uuid) ?? [])
}

// ---- all that are wanted, piece by piece

const pieceSize = 1000

/** Of the whole site by their ids; children as lists show them: by status, number and slug. */
export async function* selectPieces(store: Store, language: ContentLanguage, among: Among): AsyncGenerator<PageRow[]> {
  if (among.parent === undefined) {
    yield* pieces(after => {
      const query = selectPages(store.db, language).where(wantedOnly(among) as never)
      return read(
        store,
        (after ? query.where('pages.path', '>', after.path) : query).orderBy('pages.path').limit(pieceSize),
      )
    })
    return
  }
  for (const status of among.statuses) yield* childrenIn(store, language, among, among.parent, status)
}

function childrenIn(store: Store, language: ContentLanguage, among: Among, parent: string, status: Status) {
  return pieces(after => {
    const query = selectPages(store.db, language)
      .where('pages.parent', '=', parent)
      .where(wantedOnly({ ...among, statuses: [status] }) as never)
    // Those without a number come first in the index of both engines, or last: a state has either all or none of them.
    const rest = !after
      ? query
      : after.num === null
        ? query.where('pages.num', 'is', null).where('pages.slug', '>', after.slug)
        : query.where(sql<boolean>`(pages.num, pages.slug) > (${after.num}, ${after.slug})`)
    return read(store, rest.orderBy('pages.num').orderBy('pages.slug').limit(pieceSize))
  })
}

async function* pieces(piece: (after: PageRow | undefined) => Promise<PageRow[]>): AsyncGenerator<PageRow[]> {
  for (let last: PageRow | undefined; ;) {
    const rows = await piece(last)
    yield rows
    last = rows.at(-1)
    if (rows.length < pieceSize) return
  }
}

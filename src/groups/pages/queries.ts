import type { TemplateFilter } from '../../access/authorize/templates.ts'
import { type Compilable, type ExpressionBuilder, sql } from 'kysely'
import type { Status } from '../../blueprints/blueprints.ts'
import { readUnpublished, showsChangesOf } from '../../content/drafts/unpublished.ts'
import { selectRows } from '../../content/queries.ts'
import type { JoinedContent } from '../../content/stored.ts'
import type { ContentLanguage } from '../../http/context.ts'
import type { Database } from '../../platform/store/schema.ts'
import type { PageRow, PagesTable } from '../../platform/store/tables/content.ts'
import { createYielder } from '../../platform/lib/yield.ts'
import { isInList, type ListParameter, listParameter } from '../../platform/store/among.ts'
import { prepared, preparedIn, type Store, type Tx } from '../../platform/store/store.ts'

export type { PageRow }

/** A row of a list. Large contents are left out of it; `inPortions` reads them. */
export interface ListRow extends PagesTable, JoinedContent {
  /** The bytes of content that were left out. */
  omitted: number
}

const columns = [
  'pages.uuid',
  'pages.parent',
  'pages.path',
  'pages.slug',
  'pages.status',
  'pages.num',
  'pages.template',
  'pages.revision',
  'pages.created_at',
  'pages.modified_at',
] as const

export type Db = Store['db'] | Tx

/** All pages without their contents; the caller adds conditions. */
export const pagesOnly = (db: Db) => db.selectFrom('pages').select(columns)
type Subquery = ReturnType<typeof pagesOnly>

/** Pages, or a subquery of pages, joined with their content in one language. */
const withOwn = (db: Db, key: string, chosen?: Subquery) =>
  db
    .selectFrom((chosen?.as('pages') ?? 'pages') as 'pages')
    .leftJoin('contents as own', join =>
      join.on('own.owner', '=', sql<string>`'page://' || pages.uuid`).on('own.language', '=', key),
    )
    .select(columns)

/** Pages joined with their content in a language and in the default one. */
const withBoth = (db: Db, key: string, fallback: string, chosen?: Subquery) =>
  withOwn(db, key, chosen).leftJoin('contents as base', join =>
    join.on('base.owner', '=', sql<string>`'page://' || pages.uuid`).on('base.language', '=', fallback),
  )

const inDefault = (db: Db, key: string) => withOwn(db, key).select('own.data as own')
const inBoth = (db: Db, key: string, fallback: string) =>
  withBoth(db, key, fallback).select(['own.data as own', 'base.data as base'])

/** Contents of more bytes than this are left out of lists. Both engines know the size without reading the content. */
const maxInList = 65_536
const small = (name: 'own' | 'base') => {
  const data = sql.ref(`${name}.data`)
  return sql<string | null>`case when octet_length(${data}) <= ${sql.lit(maxInList)} then ${data} end`.as(name)
}
const large = (name: 'own' | 'base') => {
  const bytes = sql`octet_length(${sql.ref(`${name}.data`)})`
  return sql<number>`case when ${bytes} > ${sql.lit(maxInList)} then ${bytes} else 0 end`
}

/** Pages, or a subquery of pages, without large contents. */
export const listInDefault = (db: Db, key: string, chosen?: Subquery) =>
  withOwn(db, key, chosen).select([small('own'), large('own').as('omitted')])
export const listInBoth = (db: Db, key: string, fallback: string, chosen?: Subquery) =>
  withBoth(db, key, fallback, chosen)
    .select([small('own'), small('base')])
    .select(sql<number>`${large('own')} + ${large('base')}`.as('omitted'))

/** All pages without large contents; the caller adds conditions. */
export function selectList(db: Db, { key, fallback }: Pick<ContentLanguage, 'key' | 'fallback'>) {
  // The type of the larger query; `base` is missing if the language is the default one.
  return key === fallback ? (listInDefault(db, key) as ReturnType<typeof listInBoth>) : listInBoth(db, key, fallback)
}

/** About this many bytes of content are in memory at once. */
const portionBytes = 8 * 1024 * 1024

/** Adds the contents that were left out, portion by portion: a list may be larger than the memory. */
export async function* inPortions(
  store: Store,
  language: ContentLanguage,
  rows: readonly ListRow[],
): AsyncGenerator<PageRow[]> {
  for (let start = 0; start < rows.length;) {
    let [end, bytes, omitted] = [start, 0, 0]
    while (end < rows.length && bytes < portionBytes) {
      const row = rows[end++]!
      bytes += (row.own?.length ?? 0) + (row.base?.length ?? 0) + row.omitted
      omitted += row.omitted
    }
    const portion = start === 0 && end === rows.length ? rows : rows.slice(start, end)
    yield withUnpublished(
      store,
      language,
      omitted === 0 ? (portion as PageRow[]) : await withOmitted(store, language, portion),
    )
    start = end
  }
}

/** The same for a list, whose rows usually are one portion with nothing left out. */
export function listed(
  store: Store,
  language: ContentLanguage,
  rows: readonly ListRow[],
): readonly PageRow[] | AsyncIterable<readonly PageRow[]> {
  let [bytes, omitted] = [0, 0]
  for (const row of rows) {
    bytes += (row.own?.length ?? 0) + (row.base?.length ?? 0)
    omitted += row.omitted
  }
  const isWhole = omitted === 0 && bytes < portionBytes && !language.changesOf
  return isWhole ? (rows as PageRow[]) : inPortions(store, language, rows)
}

async function withOmitted(
  store: Store,
  { key, fallback }: ContentLanguage,
  rows: readonly ListRow[],
): Promise<PageRow[]> {
  const owners = rows.flatMap(({ uuid, omitted }) => (omitted > 0 ? [`page://${uuid}`] : []))
  const found = await selectRows(store, owners, [...new Set([key, fallback])])
  const texts = new Map(found.map(({ owner, language, data }) => [`${owner} ${language}`, data]))
  return rows.map(row => {
    if (row.omitted === 0) return row as PageRow
    const textIn = (language: string) => texts.get(`page://${row.uuid} ${language}`) ?? null
    return { ...row, omitted: 0, own: textIn(key), ...(key !== fallback && { base: textIn(fallback) }) }
  })
}

/** Replaces contents by unpublished changes, if the request has `version=changes`. */
async function withUnpublished(store: Store, language: ContentLanguage, rows: PageRow[]): Promise<PageRow[]> {
  const { changesOf } = language
  if (!changesOf) return rows
  const owners = rows.flatMap(({ uuid, template }) =>
    showsChangesOf(changesOf, { uuid, template }) ? [`page://${uuid}`] : [],
  )
  if (owners.length === 0) return rows
  const changed = await readUnpublished(store, language, owners)
  return rows.map(row => ({ ...row, ...changed(`page://${row.uuid}`, row) }))
}

/** The size of the content, in about bytes. */
export const sizeOf = ({ own, base, omitted = 0 }: ListRow | PageRow) =>
  (own?.length ?? 0) + (base?.length ?? 0) + omitted

/** Reads committed rows, outside of any transaction. */
export async function selectPageRows<Row>(store: Store, query: Compilable<Row>): Promise<Row[]> {
  return (await store.read(query.compile())) as Row[]
}

const editorIn = (key: string) =>
  sql<string | null>`(select changes.user_id from changes
    where changes.owner = 'page://' || pages.uuid and changes.language = ${key})`.as('editor')

const byPath = prepared((db, key: string, path: string) =>
  inDefault(db, key).select(editorIn(key)).where('pages.path', '=', path),
)
const byPathInBoth = prepared((db, key: string, fallback: string, path: string) =>
  inBoth(db, key, fallback).select(editorIn(key)).where('pages.path', '=', path),
)
const byUuid = prepared((db, key: string, uuid: string) =>
  inDefault(db, key).select(editorIn(key)).where('pages.uuid', '=', uuid),
)
const byUuidInBoth = prepared((db, key: string, fallback: string, uuid: string) =>
  inBoth(db, key, fallback).select(editorIn(key)).where('pages.uuid', '=', uuid),
)

/** By its id: the path of its slugs. */
export async function selectPage(store: Store, language: ContentLanguage, path: string): Promise<PageRow | undefined> {
  const { key, fallback, changesOf } = language
  const rows = key === fallback ? await byPath(store, key, path) : await byPathInBoth(store, key, fallback, path)
  return (changesOf ? await withUnpublished(store, language, rows) : rows)[0]
}

export async function selectPageByUuid(
  store: Store,
  language: ContentLanguage,
  uuid: string,
): Promise<PageRow | undefined> {
  const { key, fallback, changesOf } = language
  const rows = key === fallback ? await byUuid(store, key, uuid) : await byUuidInBoth(store, key, fallback, uuid)
  return (changesOf ? await withUnpublished(store, language, rows) : rows)[0]
}

/** Reads inside the transaction, including its own writes. */
export async function selectPageNow(
  tx: Tx,
  { key, fallback }: ContentLanguage,
  uuid: string,
): Promise<PageRow | undefined> {
  const { rows } =
    key === fallback ? await nowInDefault(tx, { key, uuid }) : await nowInBoth(tx, { key, fallback, uuid })
  return rows[0]
}

const hasDraft = (key: string) =>
  sql<number>`case when exists (select 1 from changes
    where changes.owner = 'page://' || pages.uuid and changes.language = ${key}) then 1 else 0 end`.as('has_draft')

const nowInDefault = preparedIn<{ key: string; uuid: string }>()(['key', 'uuid'], (db, { key, uuid }) =>
  inDefault(db, key).select(hasDraft(key)).where('pages.uuid', '=', uuid),
)
const nowInBoth = preparedIn<{ key: string; fallback: string; uuid: string }>()(
  ['key', 'fallback', 'uuid'],
  (db, { key, fallback, uuid }) => inBoth(db, key, fallback).select(hasDraft(key)).where('pages.uuid', '=', uuid),
)

/** The same in the default language, which is also read inside the transaction because it may have changed. */
export async function selectInDefaultNow(tx: Tx, uuid: string): Promise<PageRow | undefined> {
  const defaultKey = sql<string>`coalesce((select key from languages where is_default = 1), '')`
  return tx
    .selectFrom('pages')
    .leftJoin('contents as own', join =>
      join.on('own.owner', '=', sql<string>`'page://' || pages.uuid`).on('own.language', '=', defaultKey),
    )
    .select(columns)
    .select('own.data as own')
    .where('pages.uuid', '=', uuid)
    .executeTakeFirst()
}

/** Unordered, without paths that do not exist. */
export async function selectByPaths(
  store: Store,
  language: ContentLanguage,
  paths: readonly string[],
): Promise<PageRow[]> {
  return withContents(store, language, await selectListByPaths(store, language, paths))
}

export async function selectByUuids(
  store: Store,
  language: ContentLanguage,
  uuids: readonly string[],
): Promise<PageRow[]> {
  return withContents(store, language, await selectListByUuids(store, language, uuids))
}

const listBy = (column: 'pages.path' | 'pages.uuid') => ({
  inDefault: prepared((db, key: string, values: ListParameter) =>
    listInDefault(db, key).where(isInList(db, column, values)),
  ),
  inBoth: prepared((db, key: string, fallback: string, values: ListParameter) =>
    listInBoth(db, key, fallback).where(isInList(db, column, values)),
  ),
})
const listByPaths = listBy('pages.path')
const listByUuids = listBy('pages.uuid')

async function selectListBy(
  statement: typeof listByPaths,
  store: Store,
  { key, fallback }: ContentLanguage,
  values: readonly string[],
): Promise<ListRow[]> {
  if (values.length === 0) return []
  const list = listParameter(store, values)
  return key === fallback ? statement.inDefault(store, key, list) : statement.inBoth(store, key, fallback, list)
}

/** Without large contents. */
export const selectListByPaths = (store: Store, language: ContentLanguage, paths: readonly string[]) =>
  selectListBy(listByPaths, store, language, paths)

/** Without large contents. */
export const selectListByUuids = (store: Store, language: ContentLanguage, uuids: readonly string[]) =>
  selectListBy(listByUuids, store, language, uuids)

export async function selectPathOf(store: Store, uuid: string): Promise<string | undefined> {
  const [found] = await selectPageRows(store, store.db.selectFrom('pages').select('path').where('uuid', '=', uuid))
  return found?.path
}

const draftsAmong = prepared((db, paths: ListParameter) =>
  db
    .selectFrom('pages')
    .select('path')
    .where(isInList(db, 'path', paths))
    .where('status', '=', 'draft'),
)

/** Which of these paths are drafts. */
export async function selectDraftsAmong(store: Store, paths: readonly string[]): Promise<string[]> {
  return (await draftsAmong(store, listParameter(store, paths))).map(({ path }) => path)
}

/** Limits memory for rows that are needed at the same time, such as the targets of references. */
const maxContentBytes = 64 * 1024 * 1024
/** Longer values are left out of contents beyond that limit. */
const maxValueLength = 2000

/**
 * Adds the contents that were left out. Beyond a limit for all together, long values are empty, so this is only for
 * showing and filtering pages, never for changing them.
 */
export async function withContents(
  store: Store,
  language: ContentLanguage,
  rows: readonly ListRow[],
): Promise<PageRow[]> {
  const whole: PageRow[] = []
  const yielder = createYielder()
  let left = maxContentBytes
  for await (const portion of inPortions(store, language, rows)) {
    for (const row of portion) {
      const bytes = sizeOf(row)
      const isLarge = bytes > maxInList
      if (isLarge) left -= bytes
      whole.push(isLarge && left < 0 ? withoutLongValues(row) : row)
      if (yielder.isDue()) await yielder.yieldNow()
    }
  }
  return whole
}

const withoutLongValues = ({ own, base, ...row }: PageRow): PageRow => ({
  ...row,
  own: own && shortened(own),
  ...(base !== undefined && { base: base && shortened(base) }),
})

function shortened(data: string): string {
  const values = Object.entries(JSON.parse(data) as Record<string, string>)
  return JSON.stringify(
    Object.fromEntries(values.map(([name, value]) => [name, value.length > maxValueLength ? '' : value])),
  )
}

// ---- conditions

/** Children with these statuses, and of templates that the caller may see. */
export interface PageFilter extends TemplateFilter {
  statuses: readonly Status[]
}

export const hasPageTemplate =
  ({ templates, except }: TemplateFilter) =>
  (eb: ExpressionBuilder<Database, 'pages'>) =>
    eb.and([
      ...(templates ? [templates.length > 0 ? eb('pages.template', 'in', templates) : eb.lit(false)] : []),
      ...(except.length > 0 ? [eb('pages.template', 'not in', except)] : []),
    ])

export const matchesFilter =
  ({ statuses, ...templates }: PageFilter) =>
  (eb: ExpressionBuilder<Database, 'pages'>) =>
    eb.and([eb('pages.status', 'in', statuses), hasPageTemplate(templates)(eb)])

import { type RawBuilder, sql } from 'kysely'
import type { ContentLanguage } from '../../../http/context.ts'
import { isAmong } from '../../../platform/store/among.ts'
import type { Store } from '../../../platform/store/store.ts'
import type { FileRow } from '../../files/queries.ts'
import type { TemplateFilter } from '../../../access/authorize/templates.ts'
import { avatarTemplate } from '../../users/avatar/queries.ts'
import { visibleFileCondition, isOfTemplates, type VisibleFiles } from '../all-files/queries.ts'

export const orders = ['modified desc', 'modified asc', 'name asc', 'name desc', 'size desc', 'size asc'] as const

export interface LibraryFilter {
  /** Files that a search has found. */
  uuids?: readonly string[] | undefined
  /** `other`: files without a known type. */
  type?: string | undefined
  /** `page://…`, `site://` or `user://…` */
  parent?: string | undefined
  /** With the files of the pages below this path. */
  below?: string | undefined
  used?: boolean | undefined
  /** Whether images have a description, as far as their templates have a field for it. */
  described?: { templates: TemplateFilter; is: boolean } | undefined
  /** Of the last change, in ms. */
  from?: number | undefined
  until?: number | undefined
  /** Of the bytes. */
  hash?: string | undefined
}

type Condition = RawBuilder<boolean>

/** A slice of the library, and the number of all files in it; 0 if the slice is empty. */
export async function selectLibrary(
  store: Store,
  visible: VisibleFiles,
  language: ContentLanguage,
  { order, limit, offset, ...filter }: LibraryFilter & { order: string; limit: number; offset: number },
): Promise<{ files: FileRow[]; total: number }> {
  // One statement: some filters read the texts of all parents.
  const query = sql`select files.*, count(*) over () as total from files
    where ${isInLibrary(store, visible, language, filter)}
    order by ${columnsOf(order)}, files.uuid limit ${limit} offset ${offset}`
  const rows = (await store.read(query.compile(store.db))) as (FileRow & { total: number })[]
  return { files: rows, total: rows[0]?.total ?? 0 }
}

function columnsOf(order: string): RawBuilder<unknown> {
  const [by, direction] = order.split(' ') as [string, string]
  const names = { modified: ['modified_at'], size: ['size'] }[by] ?? ['name_order', 'name_key']
  return sql.join(names.map(name => sql`${sql.ref(`files.${name}`)} ${sql.raw(direction === 'desc' ? 'desc' : 'asc')}`))
}

function isInLibrary(
  store: Store,
  visible: VisibleFiles,
  language: ContentLanguage,
  { uuids, type, parent, below, used, described, from, until, hash }: LibraryFilter,
): Condition {
  const conditions: Condition[] = [visibleFileCondition(visible), isNoAvatar]
  if (uuids) conditions.push(isAmong(store.db, 'files.uuid', uuids))
  if (type === 'other') conditions.push(sql`files.type is null`)
  else if (type !== undefined) conditions.push(sql`files.type = ${type}`)
  if (parent !== undefined)
    conditions.push(below === undefined ? sql`files.parent = ${parent}` : isBelow(parent, below))
  if (used !== undefined) conditions.push(used ? isUsed(store) : sql`not ${isUsed(store)}`)
  if (described) conditions.push(isDescribed(store, language, described))
  if (from !== undefined) conditions.push(sql`files.modified_at >= ${from}`)
  if (until !== undefined) conditions.push(sql`files.modified_at <= ${until}`)
  if (hash !== undefined) conditions.push(sql`files.hash = ${hash}`)
  return sql`${sql.join(conditions, sql` and `)}`
}

/** The profile image of an account belongs to it, and is changed there. */
const isNoAvatar: Condition = sql`not (files.parent like 'user://%' and coalesce(files.template, '') = ${sql.lit(avatarTemplate)})`

function isBelow(parent: string, path: string): Condition {
  const pattern = `${path.replaceAll(/[!%_]/g, '!$&')}/%`
  return sql`(files.parent = ${parent} or files.parent in
    (select 'page://' || pages.uuid from pages where pages.path like ${pattern} escape '!'))`
}

/**
 * Whether anything refers to a file: by its uuid, or its parent by its name. The name anywhere in the text of the parent
 * counts, so that a file that may be in use is never shown as unused. Most texts name no file: they are read once for
 * each extension, not for each file.
 */
function isUsed({ name }: Store): Condition {
  const contains = (text: RawBuilder<unknown>, part: RawBuilder<unknown>) =>
    name === 'postgres' ? sql`position(${part} in ${text}) > 0` : sql`instr(${text}, ${part}) > 0`
  const texts = (table: 'contents' | 'changes') => sql`
    select texts.owner, lower(texts.data) as text from kinds join ${sql.table(table)} as texts on texts.owner = kinds.parent
    where ${contains(sql`lower(texts.data)`, sql`'.' || kinds.extension`)}`
  return sql`(exists (select 1 from links where links.target = 'file://' || files.uuid and links.owner <> links.target)
    or files.uuid in (
      with kinds as materialized (select distinct parent, extension from files),
        named as materialized (${texts('contents')} union all ${texts('changes')})
      select own.uuid from named join files as own on own.parent = named.owner
      where ${contains(sql`named.text`, sql`own.name_key`)}))`
}

/** The text that readers get: in the language, or else in the default one. */
function isDescribed(
  { name }: Store,
  { key, fallback }: ContentLanguage,
  { templates, is }: NonNullable<LibraryFilter['described']>,
): Condition {
  const alt = name === 'postgres' ? sql`contents.data::json ->> 'alt'` : sql`contents.data ->> 'alt'`
  const text = (language: string) =>
    sql`(select ${alt} from contents where contents.owner = 'file://' || files.uuid and contents.language = ${language})`
  const texts = [...new Set([key, fallback])].map(language => sql`nullif(ltrim(${text(language)}), '')`)
  return sql`(files.type = 'image' and ${isOfTemplates(sql`coalesce(files.template, 'default')`, templates)}
    and coalesce(${sql.join([...texts, sql`''`])}) ${sql.raw(is ? '<>' : '=')} '')`
}

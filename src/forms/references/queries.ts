import { sql } from 'kysely'
import type { TemplateFilter } from '../../access/authorize/templates.ts'
import {
  always,
  visibleFileCondition,
  visibleUserCondition,
  never,
  isOfTemplates,
  type VisibleFiles,
} from '../../groups/site/all-files/queries.ts'
import type { Store } from '../../platform/store/store.ts'

/** What the caller may see; other uses are not listed. */
export interface VisibleOwners {
  pages: TemplateFilter
  files: VisibleFiles
}

export interface BacklinksQuery {
  /** `file://…`, `page://…` */
  target: string
  /** Owners that refer to it by filename, which is not in the `links` table. */
  alsoIn: readonly string[]
}

export interface Use {
  owner: string
  /** Total number of uses, the same in every row. */
  total: number
}

/** First the site, then pages by path, then files, then accounts. */
export async function selectBacklinks(
  store: Store,
  { target, alsoIn }: BacklinksQuery,
  visible: VisibleOwners,
  { offset, limit }: { offset: number; limit: number },
): Promise<Use[]> {
  const collation = sql.raw(store.name === 'postgres' ? 'collate "C"' : '')
  const others = alsoIn.map(owner => sql`union select cast(${owner} as text)`)
  const query = sql`
    with linked as (
      select owner from links where target = ${target} and owner <> ${target} ${others.length > 0 ? sql.join(others, sql` `) : sql``}
    ), uses as (
      select owner, 0 as kind, '' as name from linked where owner = 'site://' and ${visible.files.site ? always : never}
      union select owner, 1, pages.path from linked join pages on pages.uuid = substr(owner, 8)
        where owner like 'page://%' and ${isOfTemplates(sql`pages.template`, visible.pages)}
      union select owner, 2, files.filename from linked join files on files.uuid = substr(owner, 8)
        where owner like 'file://%' and ${visibleFileCondition(visible.files)}
      union select owner, 3, users.sort_key from linked join users on users.id = substr(owner, 8)
        where owner like 'user://%' and ${visibleUserCondition(visible.files.users)}
    )
    select owner, (select count(*) from uses) as total from uses
    order by kind, name ${collation}, owner ${collation} limit ${limit} offset ${offset}`
  return (await store.read(query.compile(store.db))) as Use[]
}

export interface Link {
  owner: string
  language: string
  source: 'contents' | 'changes'
}

/** The languages and tables in which these owners refer to the target. */
export async function selectLinks(store: Store, target: string, owners: readonly string[]): Promise<Link[]> {
  if (owners.length === 0) return []
  const query = store.db
    .selectFrom('links')
    .select(['owner', 'language', 'source'])
    .where('target', '=', target)
    .where('owner', 'in', owners)
    .orderBy('language')
  return (await store.read(query.compile())) as Link[]
}

export interface Text extends Link {
  data: string
}

/** Contents and drafts of one owner in every language. */
export async function selectTextsOf(store: Store, owner: string): Promise<Text[]> {
  const of = (source: Link['source']) =>
    store.db
      .selectFrom(source)
      .select(['owner', 'language', 'data', sql<Link['source']>`${sql.lit(source)}`.as('source')])
      .where('owner', '=', owner)
  return (await store.read(of('contents').unionAll(of('changes')).compile())) as Text[]
}

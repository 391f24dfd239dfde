import { type RawBuilder, sql } from 'kysely'
import type { TemplateFilter } from '../../../access/authorize/templates.ts'
import type { TrashedKind } from '../../../platform/store/tables/content.ts'
import type { Store } from '../../../platform/store/store.ts'
import type { TrashRow } from '../../../content/trash/queries.ts'

/**
 * What the caller may see: the templates and roles of the content of an entry (`page`, `file`, `user`) and of its
 * former parent (`inPage`, `inUser`, `inSite`).
 */
export interface VisibleInTrash {
  page: TemplateFilter
  file: TemplateFilter
  user: TemplateFilter
  inPage: TemplateFilter
  inUser: TemplateFilter
  inSite: boolean
}

const any: TemplateFilter = { templates: undefined, except: [] }

/** For the command line. */
export const everything: VisibleInTrash = { page: any, file: any, user: any, inPage: any, inUser: any, inSite: true }

export interface TrashFilter {
  kind?: TrashedKind | undefined
  /** `page://…` */
  owner?: string | undefined
}

export interface EntryRow extends TrashRow {
  /** The id of the account that deleted it; null if that account no longer exists. */
  user: string | null
  name: string | null
  email: string | null
  role: string | null
}

const isOne = ({ templates, except }: TemplateFilter): RawBuilder<boolean> => {
  if (templates) return templates.length > 0 ? sql`template in (${sql.join(templates)})` : sql`1 = 0`
  return except.length > 0 ? sql`template not in (${sql.join(except)})` : sql`1 = 1`
}

/** Whether the caller may see everything in the entry. */
function visibleEntryCondition({ page, file, user, inPage, inUser, inSite }: VisibleInTrash): RawBuilder<boolean> {
  return sql`not exists (select 1 from trash_templates where entry = trash.id and not case kind
    when 'page' then ${isOne(page)} when 'file' then ${isOne(file)} when 'user' then ${isOne(user)}
    when 'in page' then ${isOne(inPage)} when 'in user' then ${isOne(inUser)}
    else ${sql.raw(inSite ? '1 = 1' : '1 = 0')} end)`
}

const entries = (store: Store, visible: VisibleInTrash, { kind, owner }: TrashFilter) =>
  store.db
    .selectFrom('trash')
    .where('trash.is_purged', '=', 0)
    .where(visibleEntryCondition(visible))
    .$if(kind !== undefined, query => query.where('trash.kind', '=', kind!))
    .$if(owner !== undefined, query => query.where('trash.owner', '=', owner!))

export async function countEntries(store: Store, visible: VisibleInTrash, filter: TrashFilter): Promise<number> {
  const query = entries(store, visible, filter).select(eb => eb.fn.countAll<number>().as('total'))
  return ((await store.read(query.compile())) as { total: number }[])[0]!.total
}

const withUser = (store: Store, visible: VisibleInTrash, filter: TrashFilter) =>
  entries(store, visible, filter)
    .leftJoin('users', 'users.id', 'trash.user_id')
    .selectAll('trash')
    .select(['users.id as user', 'users.name', 'users.email', 'users.role'])

/** Latest deletion first. */
export async function selectEntries(
  store: Store,
  visible: VisibleInTrash,
  { limit, offset, ...filter }: TrashFilter & { limit: number; offset: number },
): Promise<EntryRow[]> {
  const query = withUser(store, visible, filter)
    .orderBy('trash.deleted_at', 'desc')
    .orderBy('trash.id')
    .limit(limit)
    .offset(offset)
  return (await store.read(query.compile())) as EntryRow[]
}

export async function selectEntry(store: Store, visible: VisibleInTrash, id: string): Promise<EntryRow | undefined> {
  const query = withUser(store, visible, {}).where('trash.id', '=', id)
  return ((await store.read(query.compile())) as EntryRow[])[0]
}

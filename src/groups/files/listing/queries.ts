import { type RawBuilder, sql } from 'kysely'
import type { TemplateFilter } from '../../../access/authorize/templates.ts'
import { batched } from '../../../platform/store/batch.ts'
import type { Store } from '../../../platform/store/store.ts'
import type { FileRow } from '../queries.ts'

const always = sql<boolean>`1 = 1`

/** A file without a template counts as `default`. */
function hasTemplate(table: 'files' | 'other', { templates, except }: TemplateFilter): RawBuilder<boolean> {
  const template = sql`coalesce(${sql.ref(`${table}.template`)}, 'default')`
  if (templates?.length === 0) return sql<boolean>`1 = 0`
  if (templates) return sql<boolean>`${template} in (${sql.join(templates)})`
  return except.length === 0 ? always : sql<boolean>`${template} not in (${sql.join(except)})`
}

/** Files without a sort number come first. Must be the same expressions as in the index. */
const sortOrder = (table: 'files' | 'other') =>
  sql`coalesce(${sql.ref(`${table}.sort`)}, -1), ${sql.ref(`${table}.name_order`)}, ${sql.ref(`${table}.name_key`)}`
const nameOrder = (table: 'files' | 'other') => sql`${sql.ref(`${table}.name_order`)}, ${sql.ref(`${table}.name_key`)}`

export async function countFiles(store: Store, parent: string, templates: TemplateFilter): Promise<number> {
  const query = store.db
    .selectFrom('files')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('parent', '=', parent)
    .where(hasTemplate('files', templates))
  const [row] = (await store.read(query.compile())) as { count: number }[]
  return row!.count
}

/** A slice of the files of a parent, sorted. */
export async function selectSorted(
  store: Store,
  parent: string,
  templates: TemplateFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<FileRow[]> {
  const query = store.db
    .selectFrom('files')
    .selectAll()
    .where('parent', '=', parent)
    .where(hasTemplate('files', templates))
    .orderBy(sql`coalesce(files.sort, -1)`)
    .orderBy('name_order')
    .orderBy('name_key')
    .limit(limit)
    .offset(offset)
  return (await store.read(query.compile())) as FileRow[]
}

// ---- batched queries

const parents = batched(
  async (store, keys: string[]) => {
    const found: [key: string][] = []
    for (const [templates, ids] of grouped<TemplateFilter>(keys)) {
      const query = store.db
        .selectFrom('files')
        .select('parent')
        .distinct()
        .where('parent', 'in', ids)
        .where(hasTemplate('files', templates))
      for (const { parent } of (await store.read(query.compile())) as { parent: string }[])
        found.push([keyOf(templates, parent)])
    }
    return found
  },
  ([key]) => key,
)

export async function hasFiles(store: Store, parent: string, templates: TemplateFilter): Promise<boolean> {
  return (await parents(store, keyOf(templates, parent))) !== undefined
}

export interface NeighbourQuery {
  /** By name; or by sort number, among the files of the same template. */
  by: 'name' | 'sort'
  step: 1 | -1
  templates: TemplateFilter
}

const neighbours = batched(
  async (store, keys: string[]) => {
    const found: { key: string; file: FileRow }[] = []
    for (const [neighbourQuery, ids] of grouped<NeighbourQuery>(keys))
      for (const { of, ...file } of await selectNeighbours(store, neighbourQuery, ids))
        found.push({ key: keyOf(neighbourQuery, of), file })
    return found
  },
  ({ key }) => key,
)

/** The previous or next file. */
export async function selectNeighbour(store: Store, uuid: string, query: NeighbourQuery): Promise<FileRow | undefined> {
  return (await neighbours(store, keyOf(query, uuid)))?.file
}

async function selectNeighbours(store: Store, { by, step, templates }: NeighbourQuery, uuids: readonly string[]) {
  const [order, comparison] = [by === 'name' ? nameOrder : sortOrder, sql.raw(step === 1 ? '>' : '<')]
  const sameTemplate = by === 'name' ? always : sql`coalesce(other.template, '') = coalesce(files.template, '')`
  const direction = sql.raw(step === 1 ? 'asc' : 'desc')
  const columns = by === 'name' ? [] : [sql`coalesce(other.sort, -1) ${direction}`]
  const query = sql`
    select files.uuid as "of", neighbour.* from files join files as neighbour on neighbour.uuid = (
      select other.uuid from files as other
      where other.parent = files.parent and ${hasTemplate('other', templates)} and ${sameTemplate}
        and (${order('other')}) ${comparison} (${order('files')})
      order by ${sql.join([...columns, sql`other.name_order ${direction}`, sql`other.name_key ${direction}`])}
      limit 1
    ) where files.uuid in (${sql.join(uuids)})`
  return (await store.read(query.compile(store.db))) as (FileRow & { of: string })[]
}

// ---- keys of batched queries

const idAt = (key: string) => key.lastIndexOf(' ') + 1
const keyOf = (query: object, id: string) => `${JSON.stringify(query)} ${id}`

function grouped<Query>(keys: readonly string[]): [Query, ids: string[]][] {
  const groups = Map.groupBy(keys, key => key.slice(0, idAt(key)))
  return [...groups].map(([json, ofQuery]) => [JSON.parse(json) as Query, ofQuery.map(key => key.slice(idAt(key)))])
}

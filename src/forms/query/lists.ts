import { callable, queryText, type QueryValue } from '../../blueprints/query.ts'
import {
  type CollectionQuery,
  select,
  type ItemAccessors,
  type SimpleValue as Simple,
} from '../../content/collection.ts'
import { ApiError } from '../../platform/errors.ts'
import { sliced, type Slices } from '../../http/list.ts'
import type { Paging } from '../../http/paging.ts'
import { ReadBudgetExceeded } from './read-budget.ts'

/** A model type in queries. */
export interface ModelKind<Row> {
  name: 'page' | 'file' | 'user'
  /** The value that queries see for a row. */
  value(row: Row): QueryValue | Promise<QueryValue>
  accessors: ItemAccessors<Row>
  /** Filter methods that only lists of this type have, such as `template('note')`. */
  filters: Readonly<Record<string, (row: Row, args: readonly string[]) => boolean>>
}

export type Rows<Row> = () => Promise<readonly Row[]>

/** Paging, and the search term; empty for no search. */
export interface ListQuery extends Paging {
  searchTerm: string
}

export interface ListSlice<Row> extends Slices<Row> {
  /** Number of rows inspected, if the search stopped at the limit before the end. */
  inspected?: number | undefined
}

interface ListReaders<Row> {
  /** Counts without reading the rows, if possible. */
  count?: () => Promise<number>
  /** Reads one page of the list without reading all of it, if possible. */
  readPage?: (query: ListQuery) => Promise<ListSlice<Row>>
  /** The uuid of the parent page, `''` for the site. */
  parent?: string | undefined
}

interface ListSource extends ListReaders<never> {
  kind: ModelKind<never>
  rows: Rows<never>
}

/** Query values → their rows. Private, so that queries see only the methods, not the rows. */
const lists = new WeakMap<object, ListSource>()
const modelsByValue = new WeakMap<object, { kind: ModelKind<never>; row: unknown }>()

/** A lazy list: rows are read when a query calls a method. */
export function listValue<Row>(
  kind: ModelKind<Row>,
  rows: Rows<Row>,
  readers: ListReaders<Row> = {},
): { [name: string]: QueryValue } {
  const { count, parent } = readers
  const valuesOf = async (items: readonly Row[]) => Promise.all(items.map(row => modelValue(kind, row)))
  const valueOf = async (row: Row | undefined) => (row === undefined ? undefined : modelValue(kind, row))
  const derive = (narrow: (rows: readonly Row[]) => readonly Row[] | Promise<readonly Row[]>) =>
    listValue(kind, async () => narrow(await rows()), { parent })
  const deriveBy = (query: CollectionQuery) => derive(found => select([[...found]], kind.accessors, query))
  const countRows = count ?? (async () => (await rows()).length)
  const value = {
    count: callable(countRows),
    isEmpty: callable(async () => (await countRows()) === 0),
    isNotEmpty: callable(async () => (await countRows()) > 0),
    first: callable(async () => valueOf((await rows())[0])),
    last: callable(async () => valueOf((await rows()).at(-1))),
    nth: callable(async at => valueOf((await rows())[nonNegativeInteger(at)])),
    limit: callable(limit => derive(found => found.slice(0, nonNegativeInteger(limit)))),
    offset: callable(from => derive(found => found.slice(nonNegativeInteger(from)))),
    flip: callable(() => derive(found => found.toReversed())),
    not: callable((...ids) => deriveBy({ not: ids.flat().map(queryText) })),
    find: callable(async id => valueOf((await rows()).find(row => kind.accessors.id(row) === queryText(id)))),
    sortBy: callable((...by) => deriveBy({ sortBy: by.map(queryText).join(' ') })),
    filterBy: callable((field, ...rest) => deriveBy({ filterBy: [filterOf(field, rest)] })),
    filter: callable((field, ...rest) => deriveBy({ filterBy: [filterOf(field, rest)] })),
    search: callable(searchTerm => deriveBy({ search: queryText(searchTerm) })),
    pluck: callable(async (field, separator, unique) =>
      pluckValues(
        (await rows()).map(row => kind.accessors.field(row, queryText(field))),
        queryText(separator),
        unique === true,
      ),
    ),
    values: callable(async () => valuesOf(await rows())),
    ...Object.fromEntries(
      Object.entries(kind.filters).map(([name, matches]) => [
        name,
        callable((...args) => derive(found => found.filter(row => matches(row, args.flat().map(queryText))))),
      ]),
    ),
  }
  lists.set(value, { ...(readers as ListReaders<never>), kind, rows: rows as Rows<never> })
  return value
}

/**
 * One value per row; with a separator, split texts and all values of multi-value fields. `unique` removes duplicates.
 */
function pluckValues(
  values: readonly (Simple | readonly Simple[])[],
  separator: string,
  unique: boolean,
): QueryValue[] {
  const parts = (value: Simple | readonly Simple[]): Simple[] => {
    if (Array.isArray(value)) return separator === '' ? [value.join(', ')] : [...(value as readonly Simple[])]
    if (separator === '' || typeof value !== 'string') return [(value as Simple) ?? '']
    return value.split(separator).flatMap(part => part.trim() || [])
  }
  const all = values.flatMap(parts)
  return unique ? [...new Set(all)] : all
}

const nonNegativeInteger = (value: QueryValue) => (typeof value === 'number' && value > 0 ? Math.floor(value) : 0)

/** `filterBy('year', '1888')` or `filterBy('year', '>', 1888)`. Compares as text, because stored values are text. */
export function filterOf(field: QueryValue, rest: readonly QueryValue[]) {
  const [operator, value] = rest.length > 1 ? [queryText(rest[0]), rest[1]] : ['==', rest[0]]
  const text = Array.isArray(value) ? (value as QueryValue[]).map(queryText) : queryText(value)
  return { field: queryText(field), operator, value: text }
}

/** The query value of a row. */
export async function modelValue<Row>(kind: ModelKind<Row>, row: Row): Promise<QueryValue> {
  const value = await kind.value(row)
  if (typeof value === 'object' && value !== null) modelsByValue.set(value, { kind, row })
  return value
}

export interface FoundModel {
  kind: 'page' | 'file' | 'user'
  row: unknown
  /** Lazy for items of a list. */
  value: QueryValue
}

/**
 * The models in a query result: a list or a single one; undefined for other values. Empty if the read budget is spent.
 */
export async function modelsIn(value: QueryValue): Promise<FoundModel[] | undefined> {
  if (typeof value !== 'object' || value === null) return undefined
  const model = modelsByValue.get(value)
  if (model) return [{ kind: model.kind.name, row: model.row, value }]
  const list = lists.get(value)
  if (!list) return undefined
  const { kind } = list
  const found = await rowsOf(list)
  return found.map(row => ({ kind: kind.name, row, value: callable(() => modelValue(kind, row)) }))
}

async function rowsOf({ rows }: ListSource): Promise<readonly never[]> {
  return rows().catch((error: unknown): never[] => {
    if (error instanceof ReadBudgetExceeded || error instanceof ApiError) return []
    throw error
  })
}

/** If the result is a list of children: the uuid of their parent, `''` for the site. */
export function parentOfList(value: QueryValue): string | undefined {
  return typeof value === 'object' && value !== null ? lists.get(value)?.parent : undefined
}

/**
 * One page of a query result; other model types than `kind` are left out. Lists that cannot be paged in the database
 * are read completely and filtered by `matches`.
 */
export async function sliceOf<Row>(
  value: QueryValue,
  kind: FoundModel['kind'],
  query: ListQuery,
  matches: (row: Row) => boolean,
): Promise<ListSlice<Row>> {
  const list = typeof value === 'object' && value !== null ? lists.get(value) : undefined
  if (list?.kind.name === kind && list.readPage) return list.readPage(query)
  const models = ((await modelsIn(value)) ?? []).filter(model => model.kind === kind)
  const all = models.map(({ row }) => row as Row).filter(matches)
  const kindOfList = (list?.kind ?? kindOf(value)) as ModelKind<Row> | undefined
  const found =
    query.searchTerm === '' || !kindOfList
      ? all
      : await select([all], kindOfList.accessors, { search: query.searchTerm })
  return sliced(found, query)
}

const kindOf = (value: QueryValue) =>
  typeof value === 'object' && value !== null ? modelsByValue.get(value)?.kind : undefined

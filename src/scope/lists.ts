import { callable, textOf, type Value } from '../blueprints/query.ts'
import { type CollectionQuery, select, type Subject } from '../content/collection.ts'
import { ApiError } from '../errors.ts'
import { Enough } from './reach.ts'

/** A kind of things that queries see. */
export interface Kind<Row> {
  name: 'page' | 'file' | 'user'
  /** What a query sees of one of them. */
  value(row: Row): Value | Promise<Value>
  subject: Subject<Row>
  /** What only lists of this kind have: by name, what the list becomes. */
  parts: Readonly<Record<string, (row: Row) => boolean>>
}

export type Rows<Row> = () => Promise<readonly Row[]>

interface Listed {
  kind: Kind<never>
  rows: Rows<never>
}

/** To a query a list is a value like any other; those who ask for its things find them here. */
const lists = new WeakMap<object, Listed>()
const things = new WeakMap<object, { kind: Kind<never>; row: unknown }>()

/** A list that is read only if a query asks for something of it. */
export function listValue<Row>(kind: Kind<Row>, rows: Rows<Row>, count?: () => Promise<number>): Value {
  const all = async (wanted: readonly Row[]) => Promise.all(wanted.map(row => thingValue(kind, row)))
  const one = async (row: Row | undefined) => (row === undefined ? undefined : thingValue(kind, row))
  const narrowed = (narrow: (rows: readonly Row[]) => readonly Row[] | Promise<readonly Row[]>) =>
    listValue(kind, async () => narrow(await rows()))
  const queried = (query: CollectionQuery) => narrowed(found => select([[...found]], kind.subject, query))
  const counted = count ?? (async () => (await rows()).length)
  const value = {
    count: callable(counted),
    isEmpty: callable(async () => (await counted()) === 0),
    isNotEmpty: callable(async () => (await counted()) > 0),
    first: callable(async () => one((await rows())[0])),
    last: callable(async () => one((await rows()).at(-1))),
    nth: callable(async at => one((await rows())[whole(at)])),
    limit: callable(most => narrowed(found => found.slice(0, whole(most)))),
    offset: callable(from => narrowed(found => found.slice(whole(from)))),
    flip: callable(() => narrowed(found => found.toReversed())),
    not: callable((...ids) => queried({ not: ids.flat().map(textOf) })),
    find: callable(async id => one((await rows()).find(row => kind.subject.id(row) === textOf(id)))),
    sortBy: callable((...by) => queried({ sortBy: by.map(textOf).join(' ') })),
    filterBy: callable((field, ...rest) => queried({ filterBy: [filterOf(field, rest)] })),
    filter: callable((field, ...rest) => queried({ filterBy: [filterOf(field, rest)] })),
    search: callable(words => queried({ search: textOf(words) })),
    pluck: callable(async field => (await rows()).map(row => kind.subject.field(row, textOf(field)) ?? '')),
    values: callable(async () => all(await rows())),
    ...Object.fromEntries(
      Object.entries(kind.parts).map(([name, fits]) => [name, callable(() => narrowed(found => found.filter(fits)))]),
    ),
  }
  lists.set(value, { kind, rows: rows as Rows<never> })
  return value
}

const whole = (value: Value) => (typeof value === 'number' && value > 0 ? Math.floor(value) : 0)

/** `filterBy('year', '1888')` or `filterBy('year', '>', 1888)`; all that is stored is text. */
function filterOf(field: Value, rest: readonly Value[]) {
  const [operator, value] = rest.length > 1 ? [textOf(rest[0]), rest[1]] : ['==', rest[0]]
  const text = Array.isArray(value) ? (value as Value[]).map(textOf) : textOf(value)
  return { field: textOf(field), operator, value: text }
}

/** One thing, as a query sees it. */
export async function thingValue<Row>(kind: Kind<Row>, row: Row): Promise<Value> {
  const value = await kind.value(row)
  if (typeof value === 'object' && value !== null) things.set(value, { kind, row })
  return value
}

export interface Found {
  kind: 'page' | 'file' | 'user'
  row: unknown
  /** Of the things of a list it is made when a query asks for it. */
  value: Value
}

/** The things that a query gave: those of a list, or one. Undefined for anything else. A list that is too long is empty. */
export async function thingsIn(value: Value): Promise<Found[] | undefined> {
  if (typeof value !== 'object' || value === null) return undefined
  const thing = things.get(value)
  if (thing) return [{ kind: thing.kind.name, row: thing.row, value }]
  const list = lists.get(value)
  if (!list) return undefined
  const { kind, rows } = list
  const found = await rows().catch((error: unknown): never[] => {
    if (error instanceof Enough || error instanceof ApiError) return []
    throw error
  })
  return found.map(row => ({ kind: kind.name, row, value: callable(() => thingValue(kind, row)) }))
}

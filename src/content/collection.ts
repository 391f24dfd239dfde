import { z } from 'zod'
import { fail } from '../platform/errors.ts'
import { intOrText } from '../http/paging.ts'
import { message } from '../platform/texts.ts'
import { createYielder, sortYielding } from '../platform/lib/yield.ts'
import { plainText, scoring } from './search.ts'
import { namedSchema } from '../platform/lib/schema-names.ts'

const scalar = z.union([z.string().max(200), z.number(), z.boolean(), z.null()])
const wholeNumber = intOrText(z.int().min(0).max(1_000_000_000))
const size = intOrText(z.int().min(1).max(1000))
const page = intOrText(z.int().min(1).max(1_000_000))
const filters = z
  .array(
    z.strictObject({
      field: z.string().min(1).max(100),
      operator: z.string().max(20).optional(),
      value: z.union([scalar, z.array(scalar).max(1000)]).optional(),
    }),
  )
  .max(20)
const names = z.array(z.string().max(100)).max(50)
const order = z.union([z.string().max(200), z.array(z.string().max(200)).max(10)])

/** Body of `POST …/search`. Unknown properties are ignored. */
export const collectionBody = namedSchema(
  'CollectionQuery',
  z
    .object({
      search: z
        .union([
          z.string().max(1000),
          // An empty list or object means no search: some languages, such as PHP, cannot tell them apart.
          z.union([z.array(z.never()).max(0), z.strictObject({})]).transform(() => undefined),
          z.object({
            query: z.string().max(1000),
            options: z
              .object({
                fields: names.optional(),
                minlength: z.int().min(0).max(1000).optional(),
                words: z.boolean().optional(),
                /** Weight by field; other fields keep their default weight. */
                score: z.record(z.string().max(100), z.number().min(0).max(1_000_000)).optional(),
                stopwords: names.optional(),
              })
              .optional(),
          }),
        ])
        .optional(),
      filterBy: filters.optional(),
      filter: filters.optional(),
      sortBy: order.optional(),
      sort: order.optional(),
      not: z.union([z.string().max(1000), z.array(z.string().max(1000)).max(1000)]).optional(),
      limit: wholeNumber.optional(),
      offset: wholeNumber.optional(),
      /** Needs `limit`; added to `offset` as `(page - 1) * limit`. */
      page: page.optional(),
      paginate: z.union([size, z.object({ limit: size.optional(), page: page.optional() })]).optional(),
    })
    .transform(({ page: number = 1, ...body }) =>
      number > 1 && body.limit !== undefined
        ? { ...body, offset: (body.offset ?? 0) + (number - 1) * body.limit }
        : body,
    )
    .optional(),
)

export type CollectionQuery = NonNullable<z.output<typeof collectionBody>>

/** `paginate` is a limit, or an object with limit and page. */
export function paged(paginated: CollectionQuery['paginate']): { page?: number; limit?: number } {
  if (typeof paginated === 'number') return { limit: paginated }
  const { page: number, limit } = paginated ?? {}
  return { ...(number !== undefined && { page: number }), ...(limit !== undefined && { limit }) }
}

type Filter = z.output<typeof filters>[number]

/**
 * How items are filtered, searched and sorted. An allow-list of plain data: callers cannot reach methods or secrets.
 */
export interface ItemAccessors<Item> {
  id(item: Item): string
  /** Undefined for an unknown field; a list for a field with several values. */
  field(item: Item, name: string): SimpleValue | readonly SimpleValue[]
  /** Searchable texts by field name. */
  texts(item: Item): Record<string, string>
  /** Fields whose matches have a higher weight. */
  weightedFields: readonly string[]
}

/** The field names by which a query filters and sorts, by parameter. */
export const namesIn = (query: CollectionQuery): Record<'filterBy' | 'sortBy', string[]> => ({
  filterBy: [...(query.filterBy ?? []), ...(query.filter ?? [])].map(({ field }) => field),
  sortBy: sortKeys(query).map(({ name }) => name),
})

/** Refuses unknown field names: a misspelt one would match everything or nothing. */
export function namesMustBeKnown(query: CollectionQuery, isKnown: (name: string) => boolean): void {
  const details = Object.entries(namesIn(query)).flatMap(([label, list]) => {
    const unknown = list.find(name => !isKnown(name))
    const text = unknown !== undefined && message('validation.unknownInside', { name: unknown.slice(0, 100) })
    return text ? [[label, { label, message: { unknown: text } }] as const] : []
  })
  if (details.length > 0) throw fail('validation').with({ details: Object.fromEntries(details) })
}

/**
 * Applies not, filters, search, sort, offset and limit, in this order. Reads the items in batches, so that memory holds
 * only one batch and the matches, and yields to the event loop.
 */
export async function select<Item>(
  batches: Iterable<Item[]> | AsyncIterable<Item[]>,
  accessors: ItemAccessors<Item>,
  query: CollectionQuery,
): Promise<Item[]> {
  const not = new Set([query.not ?? []].flat())
  const tests = [...(query.filterBy ?? []), ...(query.filter ?? [])].map(testOf)
  const matches = (item: Item) =>
    !not.has(accessors.id(item)) && tests.every(({ field, test }) => test(accessors.field(item, field)))
  const points = query.search === undefined ? undefined : pointsBy(accessors, query.search)
  const keys = sortKeys(query)
  // A search sorts by score first, then by id.
  const directions = [...(points ? [1] : []), ...keys.map(({ direction }) => direction)]
  const from = query.offset ?? 0
  const until = query.limit === undefined ? Infinity : from + query.limit
  const found: ScoredItem<Item>[] = []
  const yielder = createYielder()
  // Without an order, stop as soon as the limit is reached.
  const isEnough = () => directions.length === 0 && found.length >= until
  for await (const batch of batches) {
    if (yielder.isDue()) await yielder.yieldNow()
    for (const item of batch) {
      if (isEnough()) break
      if (yielder.isDue()) await yielder.yieldNow()
      if (!matches(item)) continue
      const score = points ? points(item) : 1
      if (score === 0) continue
      const by = keys.map(({ name }) => keyOf(single(accessors.field(item, name))))
      if (points) by.unshift(keyOf(accessors.id(item)))
      found.push({ item, score, by })
    }
    if (isEnough()) break
  }
  if (directions.length === 0) return found.slice(from, until).map(({ item }) => item)
  const ordered = await sortYielding(found, (a, b) => {
    let difference = b.score - a.score
    for (let at = 0; difference === 0 && at < directions.length; at++)
      difference = compareKeys(a.by[at]!, b.by[at]!) * directions[at]!
    return difference
  })
  return ordered.slice(from, until).map(({ item }) => item)
}

interface ScoredItem<Item> {
  item: Item
  score: number
  by: Key[]
}

/** Returns a function that scores an item; 0 is no match. */
function pointsBy<Item>(
  accessors: ItemAccessors<Item>,
  search: NonNullable<CollectionQuery['search']>,
): (item: Item) => number {
  const { query, options = {} } = typeof search === 'string' ? { query: search } : search
  const score = scoring(query, options)
  const only = options.fields?.length ? new Set(options.fields.map(name => name.toLowerCase())) : undefined
  const weights = new Map([
    ...accessors.weightedFields.map(name => [name, 64] as const),
    ...Object.entries(options.score ?? {}),
  ])
  return item => {
    let points = 0
    const texts = accessors.texts(item)
    for (const name of Object.keys(texts))
      if (!only || only.has(name)) points += score(texts[name]!) * (weights.get(name) ?? 1)
    return points
  }
}

export interface SortKey {
  name: string
  direction: 1 | -1
}

/** `title desc num`: field names, each with an optional direction. */
export function sortKeys(query: CollectionQuery): SortKey[] {
  const keys: SortKey[] = []
  const by = [query.sortBy ?? query.sort ?? []].flat().join(' ')
  for (const word of by.split(/[\s,]+/).filter(Boolean)) {
    const last = keys.at(-1)
    if (last && /^(asc|desc)$/i.test(word)) last.direction = word.toLowerCase() === 'desc' ? -1 : 1
    else keys.push({ name: word, direction: 1 })
  }
  return keys
}

export type SimpleValue = string | number | boolean | null | undefined

const isSeveral = (value: SimpleValue | readonly SimpleValue[]): value is readonly SimpleValue[] => Array.isArray(value)
const single = (value: SimpleValue | readonly SimpleValue[]): SimpleValue =>
  isSeveral(value) ? value.join(', ') : value

/** Sort key of a value; computed once per item. */
type Key = number | string

function keyOf(value: SimpleValue): Key {
  return numeric(value) ?? text(value)
}

/** Numbers come first, also those stored as text, in numeric order. Texts are compared without case and accents. */
function compareKeys(a: Key, b: Key): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

export function compare(a: SimpleValue, b: SimpleValue): number {
  return compareKeys(keyOf(a), keyOf(b))
}

function numeric(value: SimpleValue): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined
}

// ---- filters

type Test = (value: SimpleValue) => boolean
type FilterArgument = NonNullable<Filter['value']> | null | undefined

const text = (value: SimpleValue) => plainText(String(value ?? ''))
const list = (argument: FilterArgument) => [argument ?? []].flat()
const length = (value: SimpleValue) => String(value ?? '').length
/** A date without a time zone is UTC, as in the database, not the time zone of the server. */
const timestampOf = (value: SimpleValue | FilterArgument) => {
  const written = String([value].flat()[0] ?? '').replace(/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)$/, '$1T$2Z')
  return Date.parse(written)
}
const words = (value: SimpleValue) =>
  String(value ?? '')
    .split(/\s+/)
    .filter(Boolean).length
const one = (argument: FilterArgument): SimpleValue => [argument].flat()[0]

/** Compares as text: query parameters send numbers and booleans as text. */
const comparable = (value: SimpleValue): string | null | undefined =>
  value === null || value === undefined ? value : String(value)

/** Each operator prepares the given value once and returns a test for the items. */
const positive = {
  '==': argument => {
    const expected = comparable(one(argument))
    return value => comparable(value) === expected
  },
  in: argument => {
    const expected = new Set(list(argument).map(comparable))
    return value => expected.has(comparable(value))
  },
  '*=': argument => {
    const expected = text(one(argument))
    return value => text(value).includes(expected)
  },
  '^=': argument => {
    const expected = text(one(argument))
    return value => text(value).startsWith(expected)
  },
  '$=': argument => {
    const expected = text(one(argument))
    return value => text(value).endsWith(expected)
  },
} satisfies Record<string, (argument: FilterArgument) => Test>

const operators: Record<string, (argument: FilterArgument) => Test> = {
  ...positive,
  '!=': negate(positive['==']),
  'not in': negate(positive.in),
  '!*=': negate(positive['*=']),
  '!^=': negate(positive['^=']),
  '!$=': negate(positive['$=']),
  '>': compared(difference => difference > 0),
  '>=': compared(difference => difference >= 0),
  '<': compared(difference => difference < 0),
  '<=': compared(difference => difference <= 0),
  between: argument => {
    const [from, until] = list(argument) as SimpleValue[]
    const [lower, upper] = [keyOf(from), keyOf(until)]
    return value => {
      if (isEmpty(value)) return false
      const key = keyOf(value)
      return compareKeys(key, lower) >= 0 && compareKeys(key, upper) <= 0
    }
  },
  minlength: counted(length, (count, expected) => count >= expected),
  maxlength: counted(length, (count, expected) => count <= expected),
  minwords: counted(words, (count, expected) => count >= expected),
  maxwords: counted(words, (count, expected) => count <= expected),
  'date ==': dated((time, expected) => time === expected),
  'date !=': dated((time, expected) => time !== expected),
  'date >': dated((time, expected) => time > expected),
  'date >=': dated((time, expected) => time >= expected),
  'date <': dated((time, expected) => time < expected),
  'date <=': dated((time, expected) => time <= expected),
  'date between': argument => {
    const [from, until] = list(argument).map(each => timestampOf(each))
    return value => {
      const time = timestampOf(value)
      return time >= from! && time <= until!
    }
  },
}
const aliases: Record<string, string> = { '..': 'between', 'date ..': 'date between' }

function negate(operator: (argument: FilterArgument) => Test): (argument: FilterArgument) => Test {
  return argument => {
    const test = operator(argument)
    return value => !test(value)
  }
}

/** A missing value matches no comparison. */
const isEmpty = (value: SimpleValue) => value === undefined || value === null || value === ''

function compared(matches: (difference: number) => boolean): (argument: FilterArgument) => Test {
  return argument => {
    const expected = keyOf(one(argument))
    return value => !isEmpty(value) && matches(compareKeys(keyOf(value), expected))
  }
}

function counted(
  count: (value: SimpleValue) => number,
  matches: (count: number, expected: number) => boolean,
): (argument: FilterArgument) => Test {
  return argument => {
    const expected = Number(one(argument))
    return value => matches(count(value), expected)
  }
}

function dated(matches: (time: number, expected: number) => boolean): (argument: FilterArgument) => Test {
  return argument => {
    const expected = timestampOf(argument)
    return value => matches(timestampOf(value), expected)
  }
}

/** With several values, a negative operator must hold for all of them, any other operator for at least one. */
const negative = new Set(['!=', 'not in', '!*=', '!^=', '!$=', 'date !='])

function testOf({ field, operator = '==', value }: Filter): {
  field: string
  test: (value: SimpleValue | readonly SimpleValue[]) => boolean
} {
  const name = aliases[operator] ?? operator
  if (!Object.hasOwn(operators, name)) {
    const details = {
      operator: { label: 'operator', message: { operator: message('validation.operator', { operator }) } },
    }
    throw fail('validation').with({ details })
  }
  const test = operators[name]!(value)
  const ofSeveral = (values: readonly SimpleValue[]) =>
    values.length === 0 ? test('') : negative.has(name) ? values.every(test) : values.some(test)
  return { field, test: found => (isSeveral(found) ? ofSeveral(found) : test(found)) }
}

import { z } from 'zod'
import { fail } from '../errors.ts'
import { message } from '../texts.ts'
import { plainText, score, wordsOf } from './search.ts'

const scalar = z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()])
const whole = z.int().min(0).max(1_000_000_000)
const page = z.int().min(1).max(1000)
const filters = z
  .array(
    z.strictObject({
      field: z.string().min(1).max(100),
      operator: z.string().max(20).optional(),
      value: z.union([scalar, z.array(scalar).max(1000)]).optional(),
    }),
  )
  .max(50)
const order = z.union([z.string().max(200), z.array(z.string().max(200)).max(10)])

/** What a `POST …/search` may ask for. */
export const collectionBody = z
  .strictObject({
    search: z
      .union([
        z.string().max(1000),
        z.strictObject({
          query: z.string().max(1000),
          options: z.strictObject({ fields: z.array(z.string().max(100)).max(50).optional() }).optional(),
        }),
      ])
      .optional(),
    filterBy: filters.optional(),
    filter: filters.optional(),
    sortBy: order.optional(),
    sort: order.optional(),
    not: z.union([z.string().max(1000), z.array(z.string().max(1000)).max(1000)]).optional(),
    limit: whole.optional(),
    offset: whole.optional(),
    paginate: z
      .union([page, z.strictObject({ limit: page.optional(), page: z.int().min(1).max(1_000_000).optional() })])
      .optional(),
  })
  .optional()

export type CollectionQuery = NonNullable<z.output<typeof collectionBody>>
type Filter = z.output<typeof filters>[number]

/** What can be asked about the things of a list: an allow-list of plain data, and nothing that does anything. */
export interface Subject<Item> {
  id(item: Item): string
  /** Undefined for a name that is not on the list. */
  field(item: Item, name: string): string | number | boolean | null | undefined
  /** Every text of a thing that can be found, by the name of its field. */
  texts(item: Item): Record<string, string>
  /** Fields that count more than others when something is found in them. */
  heavy: readonly string[]
}

/** In the order not, filters, offset, limit, sort, search: `limit` cuts before anything is sorted or found. */
export function select<Item>(items: Item[], subject: Subject<Item>, query: CollectionQuery): Item[] {
  const not = new Set([query.not ?? []].flat())
  const tests = [...(query.filterBy ?? []), ...(query.filter ?? [])].map(testOf)
  let found = items.filter(item => !not.has(subject.id(item)))
  for (const { field, test } of tests) found = found.filter(item => test(subject.field(item, field)))
  found = found.slice(query.offset ?? 0, query.limit === undefined ? undefined : (query.offset ?? 0) + query.limit)
  found = sorted(found, subject, [query.sortBy ?? query.sort ?? []].flat().join(' '))
  return query.search === undefined ? found : search(found, subject, query.search)
}

/** Things in which any word occurs, the best first. */
export function search<Item>(
  items: Item[],
  subject: Subject<Item>,
  asked: NonNullable<CollectionQuery['search']>,
): Item[] {
  const { query, options } = typeof asked === 'string' ? { query: asked } : asked
  const words = wordsOf(query)
  if (words.length === 0) return []
  const only = options?.fields && new Set(options.fields)
  return items
    .map(item => {
      const texts = Object.entries(subject.texts(item)).filter(([name]) => !only || only.has(name))
      const points = texts.map(([name, text]) => score(text, query, words, subject.heavy.includes(name) ? 64 : 1))
      return { item, points: points.reduce((sum, one) => sum + one, 0) }
    })
    .filter(({ points }) => points > 0)
    .toSorted((a, b) => b.points - a.points || compare(subject.id(a.item), subject.id(b.item)))
    .map(({ item }) => item)
}

/** By `title desc num`: names of fields, each perhaps with a direction. */
function sorted<Item>(items: Item[], subject: Subject<Item>, by: string): Item[] {
  const keys: { name: string; factor: number }[] = []
  for (const word of by.split(/[\s,]+/).filter(Boolean)) {
    const last = keys.at(-1)
    if (last && /^(asc|desc)$/i.test(word)) last.factor = word.toLowerCase() === 'desc' ? -1 : 1
    else keys.push({ name: word, factor: 1 })
  }
  if (keys.length === 0) return items
  return items.toSorted((a, b) => {
    for (const { name, factor } of keys) {
      const difference = compare(subject.field(a, name), subject.field(b, name))
      if (difference !== 0) return difference * factor
    }
    return 0
  })
}

type Value = string | number | boolean | null | undefined

/** Numbers by their size and before all else, also those that are stored as text; texts as people compare them. */
function compare(a: Value, b: Value): number {
  const [one, other] = [numeric(a), numeric(b)]
  if (one !== undefined && other !== undefined) return one - other
  if (one !== undefined || other !== undefined) return one === undefined ? 1 : -1
  const [left, right] = [text(a), text(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

function numeric(value: Value): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined
}

// ---- filters

type Test = (value: Value) => boolean
type Given = NonNullable<Filter['value']> | null | undefined

const text = (value: Value) => plainText(String(value ?? ''))
const list = (given: Given) => [given ?? []].flat()
const number = (value: Given) => Number([value].flat()[0])
/** Without a time zone it is that of the store, wherever the server stands. */
const moment = (value: Value | Given) => {
  const written = String([value].flat()[0] ?? '').replace(/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)$/, '$1T$2Z')
  return Date.parse(written)
}
const words = (value: Value) =>
  String(value ?? '')
    .split(/\s+/)
    .filter(Boolean).length
const one = (given: Given): Value => [given].flat()[0]

const positive: Record<string, (given: Given) => Test> = {
  '==': given => value => value === one(given),
  in: given => value => list(given).some(wanted => wanted === value),
  '*=': given => value => text(value).includes(text(one(given))),
  '^=': given => value => text(value).startsWith(text(one(given))),
  '$=': given => value => text(value).endsWith(text(one(given))),
}

const operators: Record<string, (given: Given) => Test> = {
  ...positive,
  '!=': negate(positive['==']!),
  'not in': negate(positive['in']!),
  '!*=': negate(positive['*=']!),
  '!^=': negate(positive['^=']!),
  '!$=': negate(positive['$=']!),
  '>': given => value => compare(value, one(given)) > 0,
  '>=': given => value => compare(value, one(given)) >= 0,
  '<': given => value => compare(value, one(given)) < 0,
  '<=': given => value => compare(value, one(given)) <= 0,
  between: given => value => {
    const [from, until] = list(given) as Value[]
    return compare(value, from) >= 0 && compare(value, until) <= 0
  },
  minlength: given => value => String(value ?? '').length >= number(given),
  maxlength: given => value => String(value ?? '').length <= number(given),
  minwords: given => value => words(value) >= number(given),
  maxwords: given => value => words(value) <= number(given),
  'date ==': given => value => moment(value) === moment(given),
  'date !=': given => value => moment(value) !== moment(given),
  'date >': given => value => moment(value) > moment(given),
  'date >=': given => value => moment(value) >= moment(given),
  'date <': given => value => moment(value) < moment(given),
  'date <=': given => value => moment(value) <= moment(given),
  'date between': given => value => {
    const [from, until] = list(given).map(each => moment(each))
    return moment(value) >= from! && moment(value) <= until!
  },
}
const aliases: Record<string, string> = { '..': 'between', 'date ..': 'date between' }

function negate(test: (given: Given) => Test): (given: Given) => Test {
  return given => value => !test(given)(value)
}

function testOf({ field, operator = '==', value }: Filter): { field: string; test: Test } {
  const name = aliases[operator] ?? operator
  if (!Object.hasOwn(operators, name)) {
    const details = {
      operator: { label: 'operator', message: { operator: message('validation.operator', { operator }) } },
    }
    throw fail('validation').with({ details })
  }
  return { field, test: operators[name]!(value) }
}

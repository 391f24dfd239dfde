import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ApiError } from '../errors.ts'
import { collectionBody, type CollectionQuery, search, select, type Subject } from './collection.ts'
import { wordsOf } from './search.ts'

interface Thing {
  id: string
  title?: string
  num?: number
  done?: boolean
  date?: string
  secret?: string
}

const allowed = ['id', 'title', 'num', 'done', 'date'] as const

const subject: Subject<Thing> = {
  id: thing => thing.id,
  field: (thing, name) => (allowed.includes(name as 'id') ? thing[name as 'id'] : undefined),
  texts: ({ id, title = '', date = '' }) => ({ id, title, date }),
  heavy: ['id', 'title'],
}

const things: Thing[] = [
  { id: 'a', title: 'Émile', num: 9, done: true, date: '2026-05-31', secret: 'x' },
  { id: 'b', title: 'zebra crossing', num: 10, done: false, date: '2026-06-01 12:00:00', secret: 'y' },
  { id: 'c', title: 'emil and the detectives', num: -1, date: '2025-01-01', secret: 'y' },
  { id: 'd', title: '', num: 2.5, date: 'soon', secret: 'x' },
  { id: 'e', secret: 'z' },
]

const ask = (query: unknown) =>
  select(things, subject, collectionBody.parse(query)!)
    .map(({ id }) => id)
    .join('')
const filter = (field: string, operator: string | undefined, value?: unknown) =>
  ask({ filterBy: [{ field, ...(operator !== undefined && { operator }), ...(value !== undefined && { value }) }] })

// ---- filters

test.each([
  ['num', undefined, 9, 'a'],
  ['num', '==', 9, 'a'],
  ['num', '==', '9', ''], // typed
  ['done', '==', true, 'a'],
  ['title', '==', 'émile', ''],
  ['title', '==', 'Émile', 'a'],
  ['num', '!=', 9, 'bcde'],
  ['id', 'in', ['a', 'e', 'x'], 'ae'],
  ['id', 'in', 'b', 'b'],
  ['id', 'in', [], ''],
  ['id', 'not in', ['a', 'e'], 'bcd'],
  ['title', '*=', 'EMIL', 'ac'],
  ['title', '!*=', 'emil', 'bde'],
  ['title', '^=', 'émil', 'ac'],
  ['title', '!^=', 'zebra', 'acde'],
  ['title', '$=', 'ING', 'b'],
  ['title', '!$=', 'ing', 'acde'],
  ['num', '>', 9, 'be'],
  ['num', '>=', 9, 'abe'],
  ['num', '<', 2.5, 'c'],
  ['num', '<=', '2.5', 'cd'],
  ['num', 'between', [2, 9], 'ad'],
  ['num', '..', [2, 9], 'ad'],
  ['title', '>', 'f', 'b'],
  ['title', 'minlength', 6, 'bc'],
  ['title', 'maxlength', 5, 'ade'],
  ['title', 'minwords', 2, 'bc'],
  ['title', 'maxwords', 1, 'ade'],
  ['date', 'date ==', '2026-05-31', 'a'],
  ['date', 'date ==', '2026-06-01 12:00', 'b'],
  ['date', 'date ==', '2026-06-01T12:00:00Z', 'b'],
  ['date', 'date !=', '2026-05-31', 'bcde'],
  ['date', 'date >', '2026-05-31', 'b'],
  ['date', 'date >=', '2026-05-31', 'ab'],
  ['date', 'date <', '2026-05-31', 'c'],
  ['date', 'date <=', '2026-05-31', 'ac'],
  ['date', 'date between', ['2026-01-01', '2026-05-31'], 'a'],
  ['date', 'date ..', ['2026-01-01', '2027-01-01'], 'ab'],
])('%s %s %j finds %s', (field, operator, value, found) => {
  expect(filter(field, operator, value)).toBe(found)
})

test('a thing without the field comes after all numbers, and its text is empty', () => {
  expect(filter('num', '>', 1000)).toBe('e')
  expect(filter('title', '*=', '')).toBe('abcde')
})

test.each(['*', '!*', '=', 'like', '', 'constructor', '__proto__', 'DATE >', 'date'])(
  'there is no operator %j, and the answer says so',
  operator => {
    expect(() => filter('id', operator, 'a')).toThrow(ApiError)
    try {
      filter('id', operator, 'a')
    } catch (error) {
      expect(error).toMatchObject({ key: 'validation', status: 400, details: { operator: { label: 'operator' } } })
    }
  },
)

test('all filters must fit, under both of their names', () => {
  const first = { field: 'title', operator: '*=', value: 'emil' }
  expect(ask({ filterBy: [first, { field: 'num', operator: '<', value: 0 }] })).toBe('c')
  expect(ask({ filterBy: [first], filter: [{ field: 'num', operator: '>', value: 0 }] })).toBe('a')
})

test('what is not on the list of fields can neither be filtered nor sorted by', () => {
  for (const value of ['x', 'y', 'z']) expect(filter('secret', '==', value)).toBe('')
  for (const operator of ['*=', '^=', '$=']) expect(filter('secret', operator, 'x')).toBe('')
  for (const operator of ['!=', '!*=']) expect(filter('secret', operator, 'x')).toBe('abcde')
  for (const name of ['secret', 'constructor', '__proto__', 'toString']) {
    expect(ask({ sortBy: name })).toBe('abcde')
    expect(ask({ sortBy: `${name} desc` })).toBe('abcde')
  }
})

// ---- order

test.each([
  ['num', 'cdabe'],
  ['num desc', 'ebadc'],
  ['num DESC', 'ebadc'],
  ['title', 'decab'],
  ['done num desc', 'edcba'], // what is empty comes before all words
  [['done', 'num desc'], 'edcba'],
  [['num', 'desc'], 'ebadc'],
  ['done asc, num asc', 'cdeba'],
  ['', 'abcde'],
  [[], 'abcde'],
  ['desc', 'abcde'],
])('sorted by %j it is %s', (sortBy, order) => {
  expect(ask({ sortBy })).toBe(order)
  expect(ask({ sort: sortBy })).toBe(order)
})

test('numbers that are stored as text are sorted by their size, whatever stands between them', () => {
  const texts = ['10', '9', '1a', '-2', '2.50', '', 'b', '100']
  const stored = texts.map(title => ({ id: title, title }))
  const orders = [stored, stored.toReversed()].map(list =>
    select(list, subject, { sortBy: 'title' }).map(({ id }) => id),
  )
  expect(orders[0]).toEqual(['-2', '2.50', '9', '10', '100', '', '1a', 'b'])
  expect(orders[1]).toEqual(orders[0])
})

// ---- the order of application

test('not comes first, by id', () => {
  expect(ask({ not: 'a' })).toBe('bcde')
  expect(ask({ not: ['a', 'c', 'x'], limit: 1 })).toBe('b')
})

test('limit and offset cut after filters and before order and search', () => {
  expect(ask({ limit: 2, sortBy: 'num desc' })).toBe('ba')
  expect(ask({ offset: 1, limit: 2, sortBy: 'num' })).toBe('cb')
  expect(ask({ filterBy: [{ field: 'num', operator: '<', value: 5 }], limit: 1 })).toBe('c')
  expect(ask({ limit: 2, search: 'emil' })).toBe('a')
  expect(ask({ offset: 2, search: 'emil' })).toBe('c')
  expect(ask({ limit: 0 })).toBe('')
  expect(ask({ offset: 9 })).toBe('')
})

test('what is found is in the order of its score, whatever was sorted before', () => {
  expect(ask({ search: 'emil', sortBy: 'num' })).toBe('ac')
  expect(ask({ search: 'emil', sortBy: 'num desc' })).toBe('ac')
})

test('an empty question gives everything', () => {
  expect(ask({})).toBe('abcde')
})

// ---- search

const found = (query: NonNullable<CollectionQuery['search']>, list: Thing[] = things) =>
  search(list, subject, query)
    .map(({ id }) => id)
    .join('')

test('any word may occur anywhere, in letters of any size and with any accents', () => {
  expect(found('EMILE')).toBe('a')
  expect(found('zebra, detectives')).toBe('bc')
  expect(found('tec')).toBe('c')
  expect(found('nothing of it')).toBe('')
})

test.each(['', ' ', 'a', ' a ', ' , '])('the question %j is too short to be one', query => {
  expect(found(query)).toBe('')
})

test('short words count only together', () => {
  expect(wordsOf('a b')).toEqual(['a b'])
  const list = [
    { id: '1', title: 'plan a b c' },
    { id: '2', title: 'a, b' },
    { id: '3', title: 'ab' },
  ]
  expect(found('a b', list)).toBe('1')
})

test('a question of a thousand words is one of fifty', () => {
  expect(wordsOf(Array.from({ length: 1000 }, (_, index) => `word${index}`).join(' '))).toHaveLength(50)
})

test('equal counts more than beginning, beginning more than containing, and a heavy field more than any other', () => {
  const list = [
    { id: '1', title: 'x', date: 'apple' },
    { id: '2', title: 'red apple' },
    { id: '3', title: 'apple pie' },
    { id: '4', title: 'apple' },
    { id: '5', title: 'apple' },
    { id: '6', title: 'pear' },
  ]
  expect(found('apple', list)).toBe('45321')
})

test('more words of the question count more', () => {
  const list = [
    { id: '1', title: 'green tea' },
    { id: '2', title: 'tea, green' },
    { id: '3', title: 'green' },
  ]
  expect(found('green tea', list)).toBe('123')
})

test('a search can be limited to some fields', () => {
  expect(found({ query: '2026', options: { fields: ['title'] } })).toBe('')
  expect(found({ query: '2026', options: { fields: ['date'] } })).toBe('ab')
  expect(found({ query: '2026', options: {} })).toBe('ab')
  expect(found({ query: 'emil', options: { fields: ['secret', 'constructor'] } })).toBe('')
})

test('signs that mean something elsewhere are looked for as they are', () => {
  const list = ['100 %', 'a_b', 'back\\slash', '"quoted"', "it's", '$&', '.*', '[x]'].map(title => ({
    id: title,
    title,
  }))
  for (const { title } of list)
    expect([title, search(list, subject, title).map(({ id }) => id)[0]]).toEqual([title, title])
  expect(search(list, subject, '__')).toEqual([])
})

// ---- whatever is asked

test('any question that passes the door is answered with some of the things, each once', () => {
  const scalar = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  )
  const names = fc.oneof(
    fc.constantFrom(...allowed, 'secret', '__proto__', 'constructor'),
    fc.string({ minLength: 1, maxLength: 20 }),
  )
  const operator = fc.constantFrom('==', '!=', 'in', 'not in', '*=', '!*=', '^=', '$=', '>', '>=', '<', '<=', 'between', '..', 'minlength', 'maxwords', 'date >', 'date between') // prettier-ignore
  const query = fc.record(
    {
      search: fc.oneof(fc.string(), fc.record({ query: fc.string() })),
      filterBy: fc.array(
        fc.record({ field: names, operator, value: fc.oneof(scalar, fc.array(scalar)) }, { requiredKeys: ['field'] }),
        { maxLength: 3 },
      ),
      sortBy: fc.oneof(names, fc.array(names, { maxLength: 3 })),
      not: fc.oneof(fc.constantFrom('a', 'b'), fc.array(fc.string())),
      limit: fc.nat(10),
      offset: fc.nat(10),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(query, body => {
      const parsed = collectionBody.safeParse(body)
      if (!parsed.success) return
      const answer = select(things, subject, parsed.data!)
      expect(new Set(answer).size).toBe(answer.length)
      for (const thing of answer) expect(things).toContain(thing)
    }),
  )
})

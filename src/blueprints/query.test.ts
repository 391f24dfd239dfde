import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { cpuTime } from '../../test/cpu-time.ts'
import { callable, fillIn, isQuery, query, type Scope, type QueryValue, wrongQueries } from './query.ts'
import { rounds } from '../../test/slow.ts'

const page = {
  title: 'Tide machine',
  year: 1887,
  isListed: true,
  empty: '',
  nothing: null,
  tags: ['brass', 'clock'],
  'sub-title': 'Brass & <patience>',
  parent: { title: 'Exhibits' },
}
const scope: Scope = {
  page,
  site: {
    title: 'Saltmarsh',
    find: callable(id => (id === 'exhibits' ? { children: ['a', 'b', 'c'], title: 'Exhibits' } : undefined)),
    later: callable(async (...values) => JSON.stringify(values)),
    broken: callable(() => {
      throw new Error('on purpose')
    }),
  },
  t: callable(key => `text of ${JSON.stringify(key)}`),
}

test.each<[string, QueryValue]>([
  ['page.title', 'Tide machine'],
  ['  page . title ', 'Tide machine'],
  ['page.parent.title', 'Exhibits'],
  ['page?.parent?.title', 'Exhibits'],
  ['page.sub-title', 'Brass & <patience>'],
  ['page.tags.1', 'clock'],
  ['page.tags.count', 2],
  ['page.tags.first.upper', 'BRASS'],
  ['page.tags.last()', 'clock'],
  ['page.tags.limit(1)', ['brass']],
  ['page.title.lower', 'tide machine'],
  ['page.title.short(4)', 'Tide…'],
  ['page.title.length', 12],
  ['page.empty.isEmpty', true],
  ['page.title.isNotEmpty()', true],
  ['page.empty.or("none")', 'none'],
  ['site.find("exhibits").children.count', 3],
  ["site.find('exhibits').title", 'Exhibits'],
  ['site.later(1, "b", true)', '[1,"b",true]'],
  ['site.later(site.later(1).length)', '[3]'],
  ['t("field.title")', 'text of "field.title"'],
  ['page.nothing ?? page.gone ?? "other"', 'other'],
  ['page.empty ?? "other"', ''],
  ['page.isListed ? "yes" : "no"', 'yes'],
  ['page.empty ? "yes" : "no"', 'no'],
  ['page.gone ?: "other"', 'other'],
  ['page.title ?: "other"', 'Tide machine'],
  ['page.empty ? "a" : page.isListed ? "b" : "c"', 'b'],
  ['(page.gone ?? page).title', 'Tide machine'],
  ['[1, "two", page.year]', [1, 'two', 1887]],
  ['"say \\"so\\""', 'say "so"'],
  ['-1.5', -1.5],
  ['null', null],
])('%s', async (source, value) => {
  expect(await query(source, scope)).toEqual(value)
})

test.each([
  '', ' ', 'page.', '.page', 'page..title', 'page title', 'page.title(', 'page.title)', '"open', "'open", '[1', 'a ?? ', 'a ?', 'a ? b', 'a ? b :',
  '1 + 1', 'a; b', 'a = b', 'a => b', 'a["b"]', '`a`', 'a{b}', 'x'.repeat(1001), `${'('.repeat(50)}a${')'.repeat(50)}`, '['.repeat(500),
])('%s is unreadable and gives nothing', async source => {
  expect(isQuery(source)).toBe(false)
  expect(await query(source, scope)).toBeUndefined()
}) // prettier-ignore

test.each([
  'gone',
  'page.gone',
  'page.gone.gone',
  'site.find("x").title',
  'site.broken',
  'page.title.year',
  'page.year.upper',
  'page.tags.9',
])('%s gives nothing', async source => {
  expect(isQuery(source)).toBe(true)
  expect(await query(source, scope)).toBeUndefined()
})

// ---- texts

test('placeholders are filled in, everything else stays', async () => {
  expect(await fillIn('No. {{ page.year }}: {{page.title}} ({{ page.gone }})', scope)).toBe('No. 1887: Tide machine ()')
  expect(await fillIn('{{ page.tags }}, {{ page.isListed }}, {{ page.parent }}, {{ site.find }}', scope)).toBe(
    'brass, clock, true, , ',
  )
  expect(await fillIn('{{ }} {{ 1 + }} {{ unclosed', scope)).toBe('  {{ unclosed')
})

test('in HTML values are escaped, except raw ones', async () => {
  const template = '<b>{{ page.sub-title }}</b> {< page.sub-title >}'
  expect(await fillIn(template, scope, { html: true })).toBe('<b>Brass &amp; &lt;patience&gt;</b> Brass & <patience>')
  expect(await fillIn(template, scope)).toBe('<b>Brass & <patience></b> Brass & <patience>')
})

test('inserted values are not evaluated again', async () => {
  expect(await fillIn('{{ a }}', { a: '{{ b }}', b: 'secret' })).toBe('{{ b }}')
})

test('wrongQueries returns the invalid queries of a text', () => {
  expect(wrongQueries('a {{ page.title }} b {{ page. }} {< x y >} {{ }}')).toEqual(['page.', 'x y', ''])
  expect(wrongQueries('no placeholder')).toEqual([])
})

// ---- no access outside the scope

const forbidden = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
  'then',
  'call',
  'length',
]

test('members of JavaScript objects are not accessible', async () => {
  for (const name of forbidden) {
    for (const owner of ['page', 'site', 'page.tags', 'page.year', 'page.isListed', 'site.find', 'page.parent']) {
      expect(await query(`${owner}.${name}`, scope), `${owner}.${name}`).toBeUndefined()
      expect(await query(`${owner}.${name}("x")`, scope), `${owner}.${name}("x")`).toBeUndefined()
    }
    expect(await query(name, scope), `the name ${name}`).toBeUndefined()
  }
  expect(await query('page.title.constructor', scope)).toBeUndefined()
})

test('functions not made for queries are neither called nor returned, and getters are not run', async () => {
  const spy = vi.fn<() => string>(() => 'secret')
  const variables = {
    plain: spy,
    list: [spy],
    inner: Object.fromEntries(['plain', 'then'].map(name => [name, spy])),
    own: Object.defineProperty({}, 'asked', { get: spy, enumerable: true }),
    thing: new (class {
      secret = 'secret'
      read = spy
    })(),
    date: new Date(0),
    map: new Map([['secret', 'secret']]),
    constructor: 'secret',
  } as unknown as Scope
  for (const source of [
    'plain',
    'plain()',
    'list.0',
    'list.0()',
    'list.first',
    'inner',
    'inner.plain',
    'inner.then',
    'own.asked',
    'thing.secret',
    'thing.read()',
    'date.getTime()',
    'map.secret',
    'map.get("secret")',
    'constructor',
  ]) {
    expect(await fillIn(`{{ ${source} }}`, variables), `the query ${source}`).toBe('')
  }
  expect(await query('list.first', variables)).toBeUndefined()
  expect(spy).not.toHaveBeenCalled()
})

/** Everything that a query could reach beyond the data it is given. */
function isOutOfReach(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol') return true
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value === Array.prototype
  return value === Object.prototype
}

test('no query throws or reaches anything outside its scope', async () => {
  const name = fc.constantFrom('page', 'site', 'title', 'tags', 'find', 't', 'first', 'or', 'value', ...forbidden)
  const token = fc.oneof(
    name,
    fc.constantFrom(
      '.',
      '?.',
      '(',
      ')',
      '[',
      ']',
      ',',
      '??',
      '?',
      ':',
      '?:',
      '"',
      "'",
      '\\',
      ' ',
      '0',
      '1.5',
      'true',
      'null',
      '{{',
      '}}',
      '{<',
      '>}',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  )
  const source = fc.oneof(
    fc.array(token, { maxLength: 25 }).map(tokens => tokens.join('')),
    fc.array(name, { minLength: 1, maxLength: 6 }).map(names => names.join('.')),
    fc.string({ unit: 'binary' }),
  )
  await fc.assert(
    fc.asyncProperty(source, async text => {
      expect(isOutOfReach(await query(text, scope))).toBe(false)
      expect(typeof (await fillIn(`{{ ${text} }}`, scope, { html: true }))).toBe('string')
      expect(typeof (await fillIn(text, scope))).toBe('string')
      expect(await fillIn(`{{ ${text} }}`, scope)).not.toMatch(/native code|\[object/)
    }),
    { numRuns: rounds(50, 1000) },
  )
})

test('a long text of opening brackets is filled in quickly', async () => {
  const template = '{{ '.repeat(30_000)
  const start = cpuTime()
  expect(await fillIn(template, scope)).toBe(template)
  expect(cpuTime() - start).toBeLessThan(5000)
})

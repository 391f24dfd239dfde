import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cpuTime } from '../../test/cpu-time.ts'
import { field, fields, fieldset, fieldsets } from '../../test/fields.ts'
import { type Changed, changeContent, createContent, readContent } from './content.ts'
import { rounds } from '../../test/slow.ts'

const form = {
  fields: fields({
    subtitle: ['text', { required: true, minlength: 3, label: { en: 'Subtitle', de: 'Untertitel' } }],
    year: ['number', { min: 1700, max: 2030 }],
    fixed: ['text', { disabled: true, required: true }],
    open: ['toggle'],
    hours: ['tags', { min: 1, when: { Open: true } }],
    note: ['info', { text: 'A note' }],
    rooms: ['structure', { fields: fields({ name: ['text'] }) }],
    body: ['blocks', { fieldsets: fieldsets(fieldset('text', { text: ['writer'] })) }],
    friends: ['users'],
    opened: ['date'],
  }),
  broken: new Set(['weird']),
}
const stored = {
  subtitle: 'Brass only',
  year: '1888',
  fixed: 'stays',
  title: 'Tide machine',
  custom_note: 'kept',
  weird: 'as it was',
}

const change = (sent: Record<string, unknown>, options = {}, from: Record<string, string> = stored) =>
  changeContent(form, from, sent, { shownReferences: 'all', validate: true, ...options })

function storedOf(changed: Changed): Record<string, string> {
  expect(changed).toHaveProperty('stored')
  return (changed as { stored: Record<string, string> }).stored
}

function errorsOf(changed: Changed): Record<string, string[]> {
  expect(changed).not.toHaveProperty('stored')
  const { errors } = changed as { errors: Record<string, { message: object }> }
  return Object.fromEntries(Object.entries(errors).map(([name, { message }]) => [name, Object.keys(message)]))
}

// ---- reading

test('content has every field in the order of the blueprint, then other stored values', async () => {
  expect(Object.entries(await readContent(form, { title: 'T', year: '1888', uuid: 'u', note: 'old' }))).toEqual([
    ['subtitle', ''],
    ['year', 1888],
    ['fixed', ''],
    ['open', false],
    ['hours', []],
    ['rooms', []],
    ['body', []],
    ['friends', []],
    ['opened', ''],
    ['title', 'T'],
    ['uuid', 'u'],
    ['note', 'old'],
  ])
})

test('a text is parsed once per field: unsafe HTML is removed, and results are not shared between callers', async () => {
  const html = '<p>Safe<script>alert(1)</script> <b onclick="x()">bold</b></p>'
  const blocks = JSON.stringify([{ type: 'text', id: 'one', isHidden: false, content: { text: html } }])
  const [first, second] = [await readContent(form, { body: blocks }), await readContent(form, { body: blocks })]
  const shown = [{ type: 'text', id: 'one', isHidden: false, content: { text: '<p>Safe <b>bold</b></p>' } }]
  expect([first['body'], second['body']]).toEqual([shown, shown])
  expect(() => (second['body'] as object[]).push({})).toThrow(TypeError)
  const other = { ...form, fields: fields({ body: ['structure', { fields: fields({ id: ['text'] }) }] }) }
  expect((await readContent(other, { body: blocks }))['body']).toMatchObject([{ id: 'one', content: { text: html } }])
  expect((await readContent(form, { body: blocks }))['body']).toEqual(shown)
})

test('any stored content can be read', async () => {
  const names = fc.constantFrom(...form.fields.keys(), 'weird', 'other', '__proto__', 'constructor')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(names, fc.string({ unit: 'binary' })), { maxLength: 5 }), async entries => {
      const content = await readContent(form, Object.fromEntries(entries))
      expect(Object.getPrototypeOf(content)).toBe(Object.prototype)
      expect(Object.keys(content)).not.toContain('__proto__')
    }),
  )
})

// ---- changing

test('sent values replace stored ones, and others stay', async () => {
  const next = storedOf(await change({ year: '1889', rooms: [{ name: 'Cellar' }] }))
  expect(next).toEqual({ ...stored, year: '1889', rooms: '[{"name":"Cellar"}]' })
  expect(await readContent(form, next)).toMatchObject({ year: 1889, rooms: [{ name: 'Cellar' }], weird: 'as it was' })
})

test('the inputs are not modified', async () => {
  const before = { ...stored }
  await change({ year: 1900 })
  expect(stored).toEqual(before)
})

test('null keeps a value, an empty text clears it', async () => {
  expect(storedOf(await change({ year: null, title: null }))).toEqual(stored)
  expect(storedOf(await change({ year: '', rooms: '', open: '', body: '', friends: '', opened: '' }))).toMatchObject({
    year: '',
    rooms: '',
    open: '',
  })
})

test('field names are lower-case', async () => {
  expect(storedOf(await change({ SubTitle: 'Copper', MyThing: 'x' }))).toMatchObject({
    subtitle: 'Copper',
    mything: 'x',
  })
})

test('disabled fields, notes and fields with an invalid definition silently keep their stored value', async () => {
  expect(storedOf(await change({ fixed: 'changed?', note: 'x', weird: 'y' }))).toEqual(stored)
})

test('names without a field are stored as text', async () => {
  expect(storedOf(await change({ a: ' x ', b: 5, c: true, d: false, e: ['a', 'b'], f: { g: [1] } }))).toEqual({
    ...stored,
    a: 'x',
    b: '5',
    c: '1',
    d: '0',
    e: '- a\n- b',
    f: 'g:\n  - 1',
  })
})

test('lists and maps are stored as JSON', async () => {
  const block = { content: { text: '<p>x</p>' }, id: 'b1', isHidden: false, type: 'text' }
  expect(storedOf(await change({ body: [block], friends: [{ uuid: 'user://a' }] }))).toMatchObject({
    body: JSON.stringify([block]),
    friends: '["user://a"]',
  })
})

test('a wrong JSON type is refused and nothing is lost, even without rules', async () => {
  for (const validate of [true, false]) {
    expect(
      errorsOf(await change({ subtitle: ['list'], year: { a: 1 }, opened: 5, title: 'New' }, { validate })),
    ).toEqual({
      subtitle: ['type'],
      year: ['type'],
      opened: ['type'],
    })
  }
})

test('rules are checked for all fields, not only for sent ones', async () => {
  expect(errorsOf(await change({ title: 'x' }, {}, { year: '3000' }))).toEqual({
    subtitle: ['required'],
    year: ['max'],
  })
  expect(errorsOf(await change({ subtitle: 'ab', year: 1000 }))).toEqual({ subtitle: ['minlength'], year: ['min'] })
  expect(
    storedOf(await change({ subtitle: 'ab', year: 1000 }, { shownReferences: 'all', validate: false })),
  ).toMatchObject({
    year: '1000',
  })
})

test('every error has the label of its field and a message', async () => {
  expect(JSON.parse(JSON.stringify(await change({ subtitle: '', '': 'x' })))).toEqual({
    errors: {
      subtitle: { label: { en: 'Subtitle', de: 'Untertitel' }, message: { required: 'Please fill this in.' } },
      '': { label: '', message: { name: 'This is not a valid field name.' } },
    },
  })
})

test('a disabled field breaks no rule, because it cannot be corrected', async () => {
  expect(storedOf(await change({}, {}, { subtitle: 'Brass' }))).toEqual({ subtitle: 'Brass' })
})

test('a field is required only while its condition holds', async () => {
  expect(storedOf(await change({ open: false })), 'as it is shown: nothing changes').not.toHaveProperty('open')
  expect(errorsOf(await change({ open: true }))).toEqual({ hours: ['required'] })
  expect(storedOf(await change({ open: true, hours: ['9-5'] }))).toMatchObject({ open: 'true', hours: '9-5' })
})

async function isRequired(when: object, values: Record<string, string>): Promise<boolean> {
  const asking = new Map([...form.fields, ['x', field('text', { required: true, when }, 'x')]])
  return (
    'errors' in
    (await changeContent(
      { ...form, fields: asking },
      { subtitle: 'abc', ...values },
      {},
      { shownReferences: 'all', validate: true },
    ))
  )
}

test('all of several conditions must hold; numbers and booleans are compared as shown', async () => {
  expect(await isRequired({ year: 1888 }, { year: '1888' })).toBe(true)
  expect(await isRequired({ year: '1888' }, { year: '1888' })).toBe(true)
  expect(await isRequired({ year: 1888, subtitle: 'other' }, { year: '1888' })).toBe(false)
  expect(await isRequired({ open: false }, {})).toBe(true)
  expect(await isRequired({ hours: ['a', 'b'] }, { hours: 'a, b' })).toBe(true)
  expect(await isRequired({ hours: ['a'] }, { hours: 'a, b' })).toBe(false)
  expect(await isRequired({ nothing: 'x' }, {})).toBe(false)
  expect(await isRequired({ nothing: '' }, {})).toBe(true)
})

test('reserved names are not changed, but may be sent back unchanged', async () => {
  const reserved = new Set(['title', 'uuid', 'year'])
  expect(errorsOf(await change({ Title: 'Sneaky', uuid: 'x', year: 1900 }, { reserved }))).toEqual({
    title: ['reserved'],
    uuid: ['reserved'],
    year: ['reserved'],
  })
  expect(storedOf(await change({ title: 'Tide machine', uuid: '', subtitle: 'New' }, { reserved }))).toMatchObject({
    subtitle: 'New',
  })
  expect(storedOf(await change({ title: null, year: 1888 }, { reserved }))).toEqual(stored)
  expect(errorsOf(await change({ uuid: [] }, { reserved }))).toEqual({ uuid: ['reserved'] })
})

test('names that reach a prototype and invalid names are refused', async () => {
  const sent = JSON.parse(
    '{"__proto__": {"a": 1}, "constructor": "x", "prototype": 1, "": "x", "a b": 1, "a/b": 1}',
  ) as object
  const changed = (await change({ ...sent, ...Object.fromEntries([['__proto__', 'x'], ['a'.repeat(101), 1]]) })) // prettier-ignore
  expect(Object.keys(errorsOf(changed)).toSorted()).toEqual(
    ['', '__proto__', 'a b', 'a/b', 'a'.repeat(100), 'constructor', 'prototype'].toSorted(),
  )
  expect(errorsOf(await change({ other: JSON.parse('{"a": {"__proto__": 1}}') }))).toEqual({ other: ['maxlength'] })
})

test('number and length of values without a field are limited', async () => {
  expect(errorsOf(await change({ large: 'x'.repeat(100_001) }))).toEqual({ large: ['maxlength'] })
  expect(errorsOf(await change({ deep: JSON.parse(`${'['.repeat(80)}${']'.repeat(80)}`) }))).toEqual({
    deep: ['maxlength'],
  })
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`n${index}`, 'x']))
  const full = storedOf(await change(many, {}, { subtitle: 'abc' }))
  expect(errorsOf(await change({ another: 'x' }, {}, full))).toEqual({ another: ['max'] })
  expect(storedOf(await change({ n5: 'y' }, {}, full))).toMatchObject({ n5: 'y' })
  const wrong = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${index} ?`, 'x']))
  expect(Object.keys(errorsOf(await change(wrong)))).toHaveLength(50)
})

test('any input is stored completely or not at all, and never throws', async () => {
  const names = fc.oneof(fc.constantFrom(...form.fields.keys(), 'weird', 'title', '__proto__'), fc.string())
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(names, fc.jsonValue())), fc.boolean(), async (entries, validate) => {
      const changed = await change(Object.fromEntries(entries), { validate })
      expect(Object.keys(changed)).toHaveLength(1)
      if ('errors' in changed) return
      expect(Object.values(changed.stored).every(text => typeof text === 'string')).toBe(true)
      expect(changed.stored).toMatchObject({ fixed: 'stays', weird: 'as it was' })
      await readContent(form, changed.stored)
    }),
    { numRuns: rounds(60, 300) },
  )
})

test('read content can be sent back without a visible change', async () => {
  const content = await readContent(form, stored)
  expect(await readContent(form, storedOf(await change(content)))).toEqual(content)
})

// ---- creating

const fresh = {
  fields: fields({
    curator: ['text', { default: 'Nobody yet' }],
    open: ['toggle', { default: true }],
    tags: ['tags', { default: ['a', 'b'] }],
    friends: ['users', { default: false }],
    year: ['number', { default: 'wrong' }],
    since: ['date', { default: 'today', time: true }],
    at: ['time', { default: 'now' }],
    fixed: ['text', { default: 'given', disabled: true }],
    plain: ['text', { required: true }],
  }),
  broken: new Set<string>(),
}
const noon = Date.UTC(2026, 4, 31, 12, 3)

test('a new model has the sent values and the defaults for empty fields', async () => {
  expect(
    await createContent(
      fresh,
      { curator: '', title: 'New', fixed: 'mine' },
      { shownReferences: 'all', validate: false, now: noon },
    ),
  ).toEqual({
    stored: {
      curator: 'Nobody yet',
      title: 'New',
      open: 'true',
      tags: 'a, b',
      since: '2026-05-31 12:05:00',
      at: '12:05:00',
      fixed: 'given',
    },
  })
  expect(await createContent(fresh, { curator: 'Ida' }, { shownReferences: 'all', validate: false })).toMatchObject({
    stored: { curator: 'Ida' },
  })
})

test('rules of a new model are optional; the form of a value is always checked', async () => {
  expect(errorsOf(await createContent(fresh, {}, { shownReferences: 'all', validate: true }))).toEqual({
    plain: ['required'],
  })
  expect(errorsOf(await createContent(fresh, { curator: 5 }, { shownReferences: 'all', validate: false }))).toEqual({
    curator: ['type'],
  })
  expect(await createContent(fresh, { plain: 'x' }, { shownReferences: 'all', validate: true })).toHaveProperty(
    'stored',
  )
})

// ---- what one request may cost

const block = (html: string) => ({ type: 'text', content: { text: html } })

test('all fields and blocks of a request share one sanitising budget', async () => {
  const before = cpuTime()
  expect(errorsOf(await change({ body: [block('<b>'.repeat(60_000))] }))).toEqual({ body: ['blocks'] })
  expect(errorsOf(await change({ body: Array.from({ length: 15_000 }, () => block('<i x>')) }))).toEqual({
    body: ['blocks'],
  })
  expect(errorsOf(await change({ body: Array.from({ length: 5 }, () => block('<p x>'.repeat(2500))) }))).toEqual({
    body: ['blocks'],
  })
  expect(cpuTime() - before).toBeLessThan(4000)
  storedOf(await change({ body: [block('<p x>'.repeat(2500))] }))
})

test('a value that cannot be checked in time is refused when sent, and accepted when it was stored before', async () => {
  const endless = `${'a'.repeat(40)}!`
  const rows = fields({ code: ['text', { pattern: '^(?=a)(a+)+$' }] })
  const slow = {
    fields: fields({
      code: ['text', { pattern: '^(?=a)(a+)+$' }],
      rows: ['structure', { fields: rows }],
      other: ['text'],
    }),
    broken: new Set<string>(),
  }
  const old = { code: endless, rows: `- code: ${endless}` }
  expect(
    storedOf(await changeContent(slow, old, { other: 'new' }, { shownReferences: 'all', validate: true })),
  ).toMatchObject({
    other: 'new',
  })
  expect(
    storedOf(await changeContent(slow, old, { code: endless }, { shownReferences: 'all', validate: true })),
  ).toMatchObject({
    code: endless,
  })
  expect(
    errorsOf(await changeContent(slow, old, { code: `${endless}!` }, { shownReferences: 'all', validate: true })),
  ).toEqual({
    code: ['pattern'],
  })
  expect(
    errorsOf(await changeContent(slow, {}, { rows: [{ code: endless }] }, { shownReferences: 'all', validate: true })),
  ).toEqual({
    rows: ['structure'],
  })
  expect(errorsOf(await createContent(slow, { code: endless }, { shownReferences: 'all', validate: true }))).toEqual({
    code: ['pattern'],
  })
  expect(
    errorsOf(await changeContent(slow, { code: 'b1' }, { other: 'x' }, { shownReferences: 'all', validate: true })),
    'known to be wrong',
  ).toEqual({
    code: ['pattern'],
  })
})

test('nested disabled fields keep their stored value', async () => {
  const inner = fields({ name: ['text'], rank: ['number', { disabled: true }] })
  const guarded = {
    fields: fields({
      person: ['object', { fields: inner }],
      people: ['structure', { fields: inner, default: [{ name: 'First', rank: 1 }] }],
    }),
    broken: new Set<string>(),
  }
  const before = { person: 'name: Ada\nrank: 3', people: '- name: Ada\n  rank: 3' }
  const sent = {
    person: { name: 'Bo', rank: 1 },
    people: [
      { name: 'Bo', rank: 1 },
      { name: 'Cy', rank: 1 },
    ],
  }
  const next = storedOf(await changeContent(guarded, before, sent, { shownReferences: 'all', validate: true }))
  expect(await readContent(guarded, next)).toEqual({
    person: { name: 'Bo', rank: 3 },
    people: [
      { name: 'Bo', rank: 3 },
      { name: 'Cy', rank: '' },
    ],
  })
  expect(
    storedOf(await changeContent(guarded, before, { person: '' }, { shownReferences: 'all', validate: true }))[
      'person'
    ],
  ).toBe('{"rank":3}')
  expect(
    (
      await readContent(guarded, storedOf(await createContent(guarded, {}, { shownReferences: 'all', validate: true })))
    )['people'],
  ).toEqual([{ name: 'First', rank: 1 }])
})

test('the total size is limited, but can always shrink', async () => {
  const letters = 'x'.repeat(100_000)
  const full = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`n${at}`, letters]))
  expect(storedOf(await change(full, { shownReferences: 'all', validate: false }, {}))).toEqual(full)
  const more = { n0: 'less', more: 'y'.repeat(99_990) }
  expect(
    await changeContent(form, full, { more: 'yy', n1: letters.slice(1) }, { shownReferences: 'all', validate: false }),
  ).toMatchObject({
    errors: { n1: { message: { maxlength: { key: 'validation.tooLarge' } } } },
  })
  expect(await createContent(form, { ...full, more: 'y' }, { shownReferences: 'all', validate: false })).toHaveProperty(
    'errors',
  )
  expect(storedOf(await changeContent(form, full, more, { shownReferences: 'all', validate: false }))).toMatchObject(
    more,
  )
  const larger = { ...full, n10: letters, n11: letters }
  expect(
    storedOf(await changeContent(form, larger, { n10: 'y' }, { shownReferences: 'all', validate: false }))['n10'],
  ).toBe('y')
  expect(
    await changeContent(form, larger, { n10: 'y', more: letters }, { shownReferences: 'all', validate: true }),
  ).toHaveProperty('errors')
  expect(storedOf(await changeContent(form, larger, {}, { shownReferences: 'all', validate: false }))).toEqual(larger)
})

const rowsOf = (count: number, name: string) => Array.from({ length: count }, () => ({ name }))
const references = (count: number) => Array.from({ length: count }, (_, index) => `page://${index}`).join(' ')

test('rows and references are limited; content above the limit can change but not grow', async () => {
  const max = 30_000 / (1 + (form.fields.get('rooms') as unknown as { fields: Map<string, unknown> }).fields.size)
  storedOf(await change({ rooms: rowsOf(max, 'x') }))
  expect(errorsOf(await change({ rooms: rowsOf(max + 1, 'x') }))).toEqual({ rooms: ['max'] })
  const larger = { ...stored, rooms: JSON.stringify(rowsOf(max + 2, 'x')) }
  storedOf(await change({ rooms: rowsOf(max + 2, 'y') }, {}, larger))
  expect(errorsOf(await change({ rooms: rowsOf(max + 3, 'y') }, {}, larger))).toEqual({ rooms: ['max'] })
  storedOf(await change({ other: references(5000) }))
  expect(errorsOf(await change({ other: references(5001) }))).toEqual({ other: ['max'] })
})

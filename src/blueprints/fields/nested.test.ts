import { expect, test } from 'vitest'
import { field, fields, fieldset, fieldsets } from '../../../test/fields.ts'
import { translate } from '../../platform/translations/translations.ts'
import type { Field, StoredValue } from './field.ts'
import { fieldTypes } from './index.ts'
import { toText } from './yaml.ts'

const { blocks, layout, object, structure } = fieldTypes as Record<string, (typeof fieldTypes)[string]> &
  Record<'blocks' | 'layout' | 'object' | 'structure', (typeof fieldTypes)[string]>
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown
const stored = (written: object) => (written as { stored: StoredValue }).stored

const row = fields({
  what: ['text', { required: true, label: { en: 'What', de: 'Was' } }],
  qty: ['number', { default: 1 }],
  done: ['toggle'],
  on: ['date'],
  kinds: ['multiselect', { options: ['a', 'b', 'c'] }],
  why: ['text', { required: true, when: { done: true } }],
})
const rows = field('structure', { fields: row })

// ---- structure

test('hand-written rows are read field by field; values without a field stay', () => {
  const yaml =
    '- \n  what: Rope\n  Qty: 3\n  done: yes\n  on: 2024-01-02\n  kinds: a, c\n- \n  what: 01067\n  extra: not here\n'
  expect(structure.read(yaml, rows)).toEqual([
    { what: 'Rope', qty: 3, done: true, on: '2024-01-02 00:00:00', kinds: ['a', 'c'], why: '' },
    { what: '01067', qty: '', done: false, on: '', kinds: [], why: '', extra: 'not here' },
  ])
})

test('a value that is not a list of rows is broken, not empty', () => {
  for (const text of ['just a text', 'a: b', '- a\n- b', '[', '5', '"'.repeat(200_000)])
    expect(structure.read(text, rows)).toMatchObject({ $broken: expect.any(String) as unknown, length: text.length })
  expect(structure.read('null', rows)).toEqual([])
})

test('rows are stored in a readable form', () => {
  const written = structure.write(
    [{ what: 'Oar', qty: '2', done: true, on: '2024-02-02', kinds: ['b'], extra: 5 }],
    rows,
  )
  expect(toText(stored(written))).toBe(
    '- what: Oar\n  qty: 2\n  done: true\n  "on": "2024-02-02"\n  kinds: b\n  extra: 5',
  )
})

test('rows can be sent as YAML', () => {
  const written = structure.write('- what: Yaml row', rows)
  expect(structure.read(stored(written), rows)).toMatchObject([{ what: 'Yaml row', qty: '', kinds: [] }])
})

test('one value of a wrong type refuses the whole field, and the error names its place', () => {
  expect(structure.write('just a text', rows)).toHaveProperty('errors.type')
  expect(structure.write({ what: 'x' }, rows)).toHaveProperty('errors.type')
  expect(asJson(structure.write([{ what: 'a' }, 'b'], rows))).toEqual({
    errors: { structure: 'Row 2: This must be an object.' },
  })
  expect(asJson(structure.write([{ what: ['a'] }], rows))).toEqual({
    errors: { structure: 'Row 1, What: This must be a text.' },
  })
  expect(structure.write([JSON.parse('{"__proto__": {"a": 1}, "what": "x"}')], rows)).toEqual({
    stored: [{ what: 'x' }],
  })
  expect(asJson(structure.write([{ extra: { constructor: 1 } }], rows))).toEqual({
    errors: { structure: 'Row 1, extra: This is not valid.' },
  })
})

const checkRows = (value: unknown[], settings = {}) =>
  asJson(structure.check(value, field('structure', { fields: row, ...settings })))

test('the error names the first invalid row; a hidden field is not required', () => {
  expect(checkRows([{ what: 'a', done: false, why: '' }])).toEqual({})
  expect(checkRows([{ what: 'a' }, { what: '' }])).toEqual({ structure: 'Row 2, What: Please fill this in.' })
  expect(checkRows([{ what: 'a', done: true, why: '' }])).toEqual({ structure: 'Row 1, why: Please fill this in.' })
  expect(checkRows([], { min: 1 })).toEqual({ required: 'Please fill this in.' })
  expect(checkRows([{ what: 'a' }, { what: 'b' }], { max: 1 })).toEqual({ max: 'This can have at most 1 entries.' })
})

// ---- object

const address = field('object', {
  fields: fields({
    street: ['text'],
    zip: ['text'],
    town: ['text', { required: true, label: 'Town' }],
    rooms: ['structure', { fields: fields({ k: ['text'] }) }],
  }),
})

test('an object is a map of its fields, stored as YAML with nested values', () => {
  const written = object.write({ street: 'Quay 3', zip: '01067', rooms: [{ k: 'v' }], more: true }, address)
  expect(toText(stored(written))).toBe('street: Quay 3\nzip: "01067"\nrooms:\n  - k: v\nmore: true')
  expect(object.read(toText(stored(written)), address)).toEqual({
    street: 'Quay 3',
    zip: '01067',
    town: '',
    rooms: [{ k: 'v' }],
    more: true,
  })
})

test('an unset object is an empty text', () => {
  expect(object.read(undefined, address)).toBe('')
  expect(object.read('', address)).toBe('')
})

test('a text in place of an object becomes its key 0', () => {
  expect(object.read('plain', address)).toEqual({ street: '', zip: '', town: '', rooms: [], 0: 'plain' })
  expect(object.write('plain', address)).toEqual({ stored: { 0: 'plain' } })
  expect(object.write('town: Harbour', address)).toEqual({ stored: { town: 'Harbour' } })
})

test('an object reports its first error', () => {
  expect(asJson(object.check({ street: 'a', town: '' }, address))).toEqual({ object: 'Town: Please fill this in.' })
  expect(asJson(object.write({ street: 5 }, address))).toEqual({ errors: { object: 'street: This must be a text.' } })
  for (const wrong of [[], ['a'], 5, true]) expect(object.write(wrong, address)).toHaveProperty('errors.type')
})

// ---- blocks

const sets = fieldsets(
  fieldset('text', { text: ['writer'] }),
  fieldset('heading', { level: ['select', { options: ['h1', 'h2'] }], text: ['text'] }),
  fieldset('callout', { body: ['textarea', { required: true, label: 'Body' }] }),
)
const article = field('blocks', { fieldsets: sets, max: 3 })
const uuid = /^[\da-f]{8}-[\da-f]{4}-[48][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

test('blocks are stored as JSON, get an id, and keep only values that have a field', () => {
  const written = blocks.write([{ type: 'text', content: { text: '<p>New</p><script>x</script>', junk: 1 } }], article)
  const json = JSON.stringify(stored(written))
  expect(JSON.parse(json)).toEqual([
    { content: { text: '<p>New</p>' }, id: expect.stringMatching(uuid) as unknown, isHidden: false, type: 'text' },
  ])
  expect(blocks.read(json, article)).toEqual(JSON.parse(json))
})

test('blocks of an unknown type stay unchanged', () => {
  const lost = { content: { x: 'left over', y: { z: [1] } }, id: 'b4', isHidden: true, type: 'vanished' }
  const before = JSON.stringify([lost])
  expect(blocks.read(before, article)).toEqual([lost])
  expect(blocks.write([lost], article, before)).toEqual({ stored: before })
  expect(asJson(blocks.write([lost], article))).toEqual({
    errors: { blocks: 'Block 1: Blocks of the type “vanished” cannot be added here.' },
  })
  expect(blocks.write([{ ...lost, content: { x: '<img onerror=alert(1)>' } }], article, before)).toHaveProperty(
    'errors',
  )
})

test('the stored value of a field with an invalid definition stays', () => {
  const withInvalidField = field('blocks', {
    fieldsets: fieldsets({ ...fieldset('text', { text: ['writer'] }), broken: new Set(['weird']) }),
  })
  const block = { content: { text: '<p>a</p>', weird: 'kept' }, id: 'b1', isHidden: false, type: 'text' }
  expect(blocks.read(JSON.stringify([block]), withInvalidField)).toEqual([block])
  expect(blocks.write([block], withInvalidField, JSON.stringify([block]))).toEqual({ stored: JSON.stringify([block]) })
})

test('blocks can be sent as JSON, and older HTML is split', () => {
  const json = '[{"type":"heading","content":{"level":"h2","text":"T"},"id":"b1","isHidden":false}]'
  expect(blocks.read(stored(blocks.write(json, article)), article)).toEqual(JSON.parse(json))
  expect(blocks.write('not JSON', article)).toMatchObject({
    stored: [{ type: 'text', content: { text: '<p>not JSON</p>' } }],
  })
})

test('a stored block without an id gets the same id on every read', () => {
  const [first] = blocks.read('not JSON', article) as { id: string }[]
  expect(blocks.read('not JSON', article)).toEqual([first])
  expect(first!.id).toMatch(uuid)
  const [a, b] = blocks.read('[{"type":"text"},{"type":"text"}]', article) as { id: string }[]
  expect(a!.id).not.toBe(b!.id)
})

test('an invalid block is refused when sent, and left out when stored', () => {
  for (const wrong of [5, null, {}, { type: 5 }, { type: '' }, { type: 'text', content: 5 }, { type: 'text', id: 5 }])
    expect(asJson(blocks.write([wrong], article))).toEqual({ errors: { blocks: 'Block 1: This is not valid.' } })
  for (const wrong of [5, true, { type: 'text' }]) expect(blocks.write(wrong, article)).toHaveProperty('errors.type')
  expect(asJson(blocks.write([{ type: 'heading', content: { text: ['x'] } }], article))).toEqual({
    errors: { blocks: 'Block 1, text: This must be a text.' },
  })
  expect(blocks.read('[5, {"a": 1}, {"type": "text", "content": [], "id": 5}]', article)).toMatchObject([
    { content: { text: '' } },
  ])
})

const callout = (body: string) => ({ type: 'callout', content: { body }, id: 'x', isHidden: false })

test('all errors of blocks are reported under one rule', () => {
  expect(asJson(blocks.check([callout('a'), callout('')], article))).toEqual({
    blocks: 'Block 2, Body: Please fill this in.',
  })
  expect(
    asJson(
      blocks.check(
        [1, 2, 3, 4].map(() => callout('a')),
        article,
      ),
    ),
  ).toEqual({
    blocks: 'This can have at most 3 entries.',
  })
  expect(asJson(blocks.check([], { ...article, required: true }))).toEqual({ required: 'Please fill this in.' })
})

test('blocks inside blocks stay lists', () => {
  const inner: { fieldsets: ReturnType<typeof fieldsets> } & Field = field('blocks', { fieldsets: new Map() }) as never
  const box = { ...fieldset('box', {}), fields: new Map([['inner', inner]]) }
  inner.fieldsets = fieldsets(box, fieldset('text', { text: ['writer'] }))
  const value = [
    {
      type: 'box',
      id: 'b1',
      isHidden: false,
      content: { inner: [{ type: 'text', id: 'b2', isHidden: false, content: { text: '<p>"deep"</p>' } }] },
    },
  ]
  const json = JSON.stringify(stored(blocks.write(value, inner)))
  expect(json).not.toContain('\\\\')
  expect(blocks.read(json, inner)).toEqual(value)
})

test('too deeply nested values are refused in every format', () => {
  const deep = `${'[{"type":"box","content":{"inner":'.repeat(1000)}[]${'}}]'.repeat(1000)}`
  const inner: { fieldsets: ReturnType<typeof fieldsets> } & Field = field('blocks', { fieldsets: new Map() }) as never
  inner.fieldsets = fieldsets({ ...fieldset('box', {}), fields: new Map([['inner', inner]]) })
  expect(blocks.read(deep, inner)).toMatchObject({ $broken: 'unreadable' })
  expect(blocks.write(deep, inner)).toHaveProperty('errors.type')
  const within = field('structure', { fields: new Map([['inner', inner]]) })
  expect(structure.read(`[{"inner":${deep}}]`, within)).toMatchObject({ $broken: 'tooLarge' })
  expect(blocks.write('x'.repeat(100_001), article)).toHaveProperty('errors.blocks')
})

// ---- layout

const page = field('layout', {
  fieldsets: sets,
  settings: fieldset('settings', {
    anchor: ['text'],
    tone: ['select', { options: ['calm', 'loud'], required: true, label: 'Tone' }],
  }),
})

test('rows and columns get ids, and settings are read by their fields', () => {
  const written = layout.write(
    [{ attrs: { tone: 'loud' }, columns: [{ width: '1/2', blocks: [{ type: 'text' }] }, {}] }],
    page,
  )
  const value = layout.read(JSON.stringify(stored(written)), page)
  expect(value).toEqual([
    {
      attrs: { anchor: '', tone: 'loud' },
      columns: [
        { blocks: [{ content: { text: '' }, id: expect.stringMatching(uuid) as unknown, isHidden: false, type: 'text' }], id: expect.stringMatching(uuid) as unknown, width: '1/2' },
        { blocks: [], id: expect.stringMatching(uuid) as unknown, width: '1/1' },
      ],
      id: expect.stringMatching(uuid) as unknown,
    },
  ]) // prettier-ignore
  expect(layout.read(stored(layout.write(value, page)), page)).toEqual(value)
})

test('an unreadable layout is broken, and an invalid one is refused', () => {
  expect(layout.read('neither', page)).toMatchObject({ $broken: 'unreadable' })
  expect(layout.write('neither', page)).toHaveProperty('errors.type')
  const wrong = [
    5,
    null,
    { columns: 5 },
    { id: 5 },
    { attrs: 5 },
    { columns: [5] },
    { columns: [{ blocks: 5 }] },
    { columns: [{ width: 5 }] },
    { columns: [{ width: '"><script>' }] },
    { columns: [{ id: '"><script>' }] },
    { id: 'a b' },
  ]
  for (const one of wrong)
    expect(asJson(layout.write([one], page)), `for ${JSON.stringify(one)}`).toEqual({
      errors: { layout: 'Row 1 of the layout: This is not valid.' },
    })
  expect(asJson(layout.write([{ columns: [{ blocks: [{}] }] }], page))).toEqual({
    errors: { layout: 'Row 1 of the layout: Block 1: This is not valid.' },
  })
})

test('a layout reports its first error', () => {
  const columns = [
    { width: '1/1', id: 'c', blocks: [{ type: 'callout', id: 'b', isHidden: false, content: { body: '' } }] },
  ]
  expect(asJson(layout.check([{ attrs: { tone: '' }, columns: [], id: 'r' }], page))).toEqual({
    layout: 'Row 1 of the layout: Tone: Please fill this in.',
  })
  expect(asJson(layout.check([{ attrs: { tone: 'calm' }, columns, id: 'r' }], page))).toEqual({
    layout: 'Row 1 of the layout: Block 1, Body: Please fill this in.',
  })
})

test('the settings of a row stay if the blueprint no longer defines them', () => {
  const plain = field('layout', { fieldsets: sets })
  const rowsOf = [{ attrs: { old: 'x' }, columns: [], id: 'r' }]
  expect(layout.read(JSON.stringify(rowsOf), plain)).toEqual(rowsOf)
  expect(layout.write(rowsOf, plain, JSON.stringify(rowsOf))).toEqual({ stored: JSON.stringify(rowsOf) })
  expect(layout.write(rowsOf, plain)).toEqual({ stored: [{ attrs: {}, columns: [], id: 'r' }] })
})

// ---- disabled fields

const withDisabledFields = fields({
  what: ['text'],
  price: ['number', { disabled: true, default: 9 }],
  note: ['text', { disabled: true }],
})

test('a disabled field of an object keeps its value', () => {
  const one = field('object', { fields: withDisabledFields })
  const before = toText({ what: 'Rope', Price: 3, note: 'kept' })
  const unchanged = { price: 3, note: 'kept' }
  expect(object.write({ what: 'Oar', price: 1, NOTE: ['wrong'] }, one, before)).toEqual({
    stored: { what: 'Oar', ...unchanged },
  })
  expect(object.write({ what: 'Oar' }, one, before)).toEqual({ stored: { what: 'Oar', ...unchanged } })
  expect(object.write('', one, before)).toEqual({ stored: unchanged })
  expect(object.write('', one)).toEqual({ stored: '' })
  expect(object.write({ what: 'New', price: 1 }, one)).toEqual({ stored: { what: 'New', price: 9 } })
  expect(object.write({ price: 1 }, one, toText({ what: 'Rope' })), 'an empty value is a value, too').toEqual({
    stored: {},
  })
})

test('a disabled field of a row keeps the value of the row at its position; new rows get the default', () => {
  const one = field('structure', { fields: withDisabledFields })
  const before = toText([
    { what: 'a', price: 1 },
    { what: 'b', price: 2, note: 'x' },
  ])
  expect(structure.write([{ what: 'A', price: 7 }, { what: 'B' }, { what: 'C', price: 7 }], one, before)).toEqual({
    stored: [
      { what: 'A', price: 1 },
      { what: 'B', price: 2, note: 'x' },
      { what: 'C', price: 9 },
    ],
  })
})

test('a deeply nested disabled field keeps its value', () => {
  const inner = fields({ rows: ['structure', { fields: withDisabledFields }] })
  const one = field('object', { fields: inner })
  const before = toText({ rows: [{ what: 'a', price: 1 }] })
  expect(object.write({ rows: [{ what: 'A', price: 5 }] }, one, before)).toEqual({
    stored: { rows: [{ what: 'A', price: 1 }] },
  })
})

test('a disabled field of a block keeps the value of the block with the same id', () => {
  const set: Field['fieldsets'] = fieldsets({ ...fieldset('ware', {}), fields: withDisabledFields })
  const before = JSON.stringify([{ type: 'ware', id: 'one', content: { what: 'a', price: 1 } }])
  const sent = [
    { type: 'ware', content: { price: 5 } },
    { type: 'ware', id: 'one', content: { what: 'A', price: 5 } },
  ]
  const contents = [{ price: 9 }, { what: 'A', price: 1 }]
  expect(stored(blocks.write(sent, field('blocks', { fieldsets: set }), before))).toMatchObject(
    contents.map(content => ({ content })),
  )
  const rowsBefore = JSON.stringify([
    { id: 'r', attrs: { price: 3 }, columns: [{ blocks: JSON.parse(before) as unknown }] },
  ])
  const one = field('layout', { fieldsets: set, settings: { ...fieldset('settings', {}), fields: withDisabledFields } })
  for (const attrs of [{ price: 5 }, []])
    expect(stored(layout.write([{ id: 'r', attrs, columns: [{ blocks: sent }] }], one, rowsBefore))).toMatchObject([
      { attrs: { price: 3 }, columns: [{ blocks: contents.map(content => ({ content })) }] },
    ])
})

test('errors of nested fields have labels in the language of the caller', () => {
  const { structure: problem } = structure.check([{ what: '' }], rows)
  expect(translate('de', problem!.key, problem!.data)).toBe('Zeile 1, Was: Bitte füllen Sie dieses Feld aus.')
  const { errors } = structure.write([{ what: 5 }], rows) as { errors: Record<string, typeof problem> }
  expect(translate('de', errors['structure']!.key, errors['structure']!.data)).toMatch(/^Zeile 1, Was: /)
})

import fc, { type Arbitrary } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { field, fields, fieldset, fieldsets } from '../../../test/fields.ts'
import { Message } from '../../platform/texts.ts'
import { isBroken } from './broken.ts'
import type { Field, StoredValue, WriteResult } from './field.ts'
import { fieldTypes } from './index.ts'
import { showDate, showTime } from './moments.ts'
import { toText } from './yaml.ts'

// ---- values that fit each type

const line = fc.string({ unit: 'grapheme' }).map(text => text.trim())
const word = fc.stringMatching(/^[a-z0-9]{1,8}$/)
const birds = ['gull', 'tern', 'heron']
const someBirds = fc.uniqueArray(fc.constantFrom(...birds))
const id = fc.uuid()
const moment = fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2199, 11, 31) })
const minutes = (text: Arbitrary<number>, size: number) =>
  text.map(value => Math.round(value / size / 6e4) * size * 6e4)
const html = fc
  .array(fc.constantFrom('<p>One</p>', '<ul><li>Two</li></ul>', 'Three &amp; four', '<em>five</em>'))
  .map(p => p.join(''))

const cell = fc.constantFrom('', 'Ida', 'a<br>b', '<strong>1902</strong> &amp; <a href="https://example.org">more</a>')

const rowFields = fields({ what: ['text'], qty: ['number'], done: ['toggle'], on: ['date'], kinds: ['tags'] })
const row = fc.record({
  what: line,
  qty: fc.oneof(fc.constant<''>(''), fc.integer()),
  done: fc.boolean(),
  on: fc.oneof(
    fc.constant(''),
    moment.map(value => showDate(value - (value % 86_400_000))),
  ),
  kinds: fc.array(word),
  extra: fc.oneof(line, fc.integer(), fc.boolean(), fc.constant(null), fc.array(word)),
})
const sets = fieldsets(
  fieldset('text', { text: ['writer'] }),
  fieldset('callout', {
    tone: ['select', { options: ['info', 'warn'] }],
    body: ['textarea'],
    rows: ['structure', { fields: rowFields }],
  }),
)
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), content: fc.record({ text: html }), id, isHidden: fc.boolean() }),
  fc.record({
    type: fc.constant('callout'),
    content: fc.record({
      tone: fc.constantFrom('', 'info', 'warn'),
      body: line,
      rows: fc.array(row, { maxLength: 3 }),
    }),
    id,
    isHidden: fc.boolean(),
  }),
)
const column = fc.record({ blocks: fc.array(block, { maxLength: 2 }), id, width: fc.constantFrom('1/1', '1/2') })

interface Case {
  field: Field
  values: Arbitrary<unknown>
}

const cases: Record<string, Case> = {
  blocks: { field: field('blocks', { fieldsets: sets }), values: fc.array(block, { maxLength: 4 }) },
  checkboxes: { field: field('checkboxes', { options: birds }), values: someBirds },
  color: { field: field('color'), values: fc.oneof(fc.constant(null), fc.stringMatching(/^#[0-9a-f]{6}$/)) },
  date: { field: field('date'), values: fc.oneof(fc.constant(''), moment.map(value => showDate(value - (value % 864e5)))) },
  email: { field: field('email'), values: line },
  files: { field: field('files'), values: fc.array(word.map(name => `file://${name}`)) },
  hidden: { field: field('hidden'), values: line.map(text => text || null) },
  layout: {
    field: field('layout', { fieldsets: sets, settings: fieldset('settings', { anchor: ['text'] }) }),
    values: fc.array(fc.record({ attrs: fc.record({ anchor: line }), columns: fc.array(column, { maxLength: 2 }), id }), { maxLength: 2 }),
  },
  link: { field: field('link'), values: line },
  list: { field: field('list'), values: html },
  multiselect: { field: field('multiselect', { options: birds, separator: ';' }), values: someBirds },
  number: { field: field('number'), values: fc.oneof(fc.constant(''), fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => value + 0)) },
  object: {
    field: field('object', { fields: rowFields }),
    values: fc.oneof(fc.constant(''), row),
  },
  pages: { field: field('pages'), values: fc.array(fc.oneof(word, word.map(name => `page://${name}`), fc.constant('a b: c'))) },
  radio: { field: field('radio', { options: birds }), values: fc.constantFrom('', ...birds) },
  range: { field: field('range'), values: fc.oneof(fc.constant(''), fc.integer()) },
  select: { field: field('select', { options: { gull: 'Gull', tern: { en: 'Tern', de: 'Seeschwalbe' } } }), values: fc.constantFrom('', 'gull', 'tern') },
  slug: { field: field('slug'), values: line },
  structure: { field: field('structure', { fields: rowFields }), values: fc.array(row, { maxLength: 5 }) },
  table: {
    field: field('table'),
    values: fc.record({ header: fc.boolean(), rows: fc.integer({ min: 1, max: 4 }).chain(columns => fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 4 })) }),
  },
  tags: { field: field('tags'), values: fc.array(line.map(text => text.replaceAll(',', '').trim()).filter(Boolean)) },
  tel: { field: field('tel'), values: line },
  text: { field: field('text'), values: line },
  textarea: { field: field('textarea'), values: line },
  time: { field: field('time'), values: fc.oneof(fc.constant(''), minutes(moment, 5).map(value => showTime(((value % 864e5) + 864e5) % 864e5))) },
  toggle: { field: field('toggle'), values: fc.boolean() },
  toggles: { field: field('toggles', { options: { left: 'Left', right: 'Right' } }), values: fc.constantFrom('', 'left', 'right') },
  url: { field: field('url'), values: line },
  users: { field: field('users'), values: fc.array(word.map(name => `user://${name}`)) },
  writer: { field: field('writer'), values: html },
} // prettier-ignore

const decorations = ['gap', 'headline', 'info', 'line']

// ---- what every type guarantees

/** The stored text: lists and maps are stored as JSON. */
function storedText(written: WriteResult): string {
  expect(written).toHaveProperty('stored')
  const { stored } = written as { stored: StoredValue }
  return typeof stored === 'object' ? JSON.stringify(stored) : toText(stored)
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.json(),
  fc.constantFrom('- a\n- b', 'a: b', '- a: 1\n  b: yes', '[{"type":"text","content":[]}]', '{"a":{"b":[1]}}', '<p>x<script>y</p>', '2024-05-06', '7pm'),
) // prettier-ignore
const anyJson = fc.oneof(fc.jsonValue({ maxDepth: 5 }), anyText)

test('every type has test cases', () => {
  expect([...Object.keys(cases), ...decorations].toSorted()).toEqual(Object.keys(fieldTypes).toSorted())
  expect(decorations.filter(name => fieldTypes[name]!.saved)).toEqual([])
})

describe.each(Object.keys(cases))('%s', name => {
  const type = fieldTypes[name]!
  const { field: one, values } = cases[name]!

  test('a valid value is read as it was written', () => {
    fc.assert(
      fc.property(values, value => {
        if (value === null) return // null is never written: the stored value stays
        expect(type.read(storedText(type.write(value, one)), one)).toEqual(value)
      }),
    )
  })

  test('a read value can be sent back without a change', () => {
    fc.assert(
      fc.property(anyText, text => {
        const value = type.read(text, one)
        if (value !== null && !isBroken(value))
          expect(type.read(storedText(type.write(value, one)), one)).toEqual(value)
      }),
    )
  })

  test('any JSON is stored or refused, and never throws', () => {
    fc.assert(
      fc.property(anyJson, json => {
        const written = type.write(json, one)
        if ('errors' in written) {
          expect(written).not.toHaveProperty('stored')
          expect(Object.values(written.errors).every(text => text instanceof Message)).toBe(true)
          expect(Object.keys(written.errors)).not.toEqual([])
          return
        }
        const value = type.read(storedText(written), one)
        expect(Object.values(type.check(value, one)).every(text => text instanceof Message)).toBe(true)
        expect(JSON.parse(JSON.stringify(value))).toEqual(value)
      }),
    )
  })

  test('any stored text is read, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.constant(undefined)), text => {
        const value = type.read(text, one)
        if (isBroken(value)) return
        expect(() => type.check(value, one)).not.toThrow()
        expect(() => type.check(value, { ...one, required: true })).not.toThrow()
      }),
    )
  })

  test('a map or list in place of another type is refused and not emptied', () => {
    for (const wrong of [{ a: { b: 1 } }, [[['x']]], [{ a: [] }], true, ['a', {}]]) {
      const written = type.write(wrong, one)
      if ('errors' in written) continue
      expect(type.read(storedText(written), one), `for ${JSON.stringify(wrong)}`).not.toEqual(type.read('', one))
    }
  })

  test('an empty value breaks a rule only if the field is required', () => {
    const empty = type.read(undefined, one)
    expect(type.read('', one)).toEqual(empty)
    expect(type.check(empty, one)).toEqual({})
    expect(Object.keys(type.check(empty, { ...one, required: true }))).toEqual(['required'])
    expect(type.check(empty, { ...one, required: true }, false)).toEqual({})
  })
})

test.each(decorations)('%s stores nothing', name => {
  const type = fieldTypes[name]!
  expect(type.read('left over', field(name))).toBeNull()
  expect(type.check(null, field(name, { required: true }))).toEqual({})
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fields } from '../../../test/fields.ts'
import { fromDisk, toDisk, toYaml } from './disk.ts'
import { toStored } from './stored.ts'
import { parseStructured } from './yaml.ts'
import { rounds } from '../../../test/slow.ts'

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('a\n', 'a\nb', 'a\n\nb\n', ' a\nb', 'yes', '12', '01067', '- a', 'a: b', "it's", `it's "so"`, '~', 'x #y', 'a\tb'),
) // prettier-ignore
const { value } = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.stringMatching(/^[a-z]{1,5}$/), text), tie('value'), { maxKeys: 3 }),
  ),
}))

test('a value written as YAML is read unchanged', () => {
  fc.assert(
    fc.property(value, one => {
      const stored = toStored({ one })
      if (stored !== undefined) expect(parseStructured(toYaml(stored), 'command')).toEqual(stored)
    }),
    { numRuns: rounds(100, 500) },
  )
})

test('YAML of other programs is unchanged after a round trip', () => {
  const form = fields({ rows: ['structure'], address: ['object'], related: ['pages'], text: ['textarea'] })
  const content = {
    title: '- no list',
    rows: `- \n  what: Rope\n  qty: 3\n  zip: "01067"\n  sure: 'yes'\n  note: 'a: b'\n  more: |\n    one\n    two\n  none: ""\n  tags:\n    - a\n    - b\n  empty: [ ]\n- \n  what: Lamp`,
    address: 'street: Quay 3\ntown: "it\'s here"',
    related: '- page://a\n- page://b',
    text: '- a list\n- of somebody who writes',
  }
  const stored = fromDisk(form, content)
  expect(JSON.parse(stored['rows']!)).toMatchObject([
    { what: 'Rope', qty: 3, zip: '01067', sure: 'yes' },
    { what: 'Lamp' },
  ])
  expect(stored).toMatchObject({ related: '["page://a","page://b"]', text: content.text, title: content.title })
  expect(toDisk(form, stored)).toEqual(content)
})

test('unreadable YAML stays unchanged', () => {
  const form = fields({ rows: ['structure'], address: ['object'], related: ['pages'] })
  const content = { rows: '- a: [', address: '- x', related: 'page://alone' }
  expect(fromDisk(form, content)).toEqual(content)
  expect(toDisk(form, content)).toEqual(content)
})

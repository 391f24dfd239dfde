import { expect, test } from 'vitest'
import { field } from '../../../test/fields.ts'
import type { StoredValue } from './field.ts'
import { fieldTypes } from './index.ts'
import { offeredBy } from './options.ts'

const offered = (options: unknown) => offeredBy(field('select', { options }) as unknown as { options: [] })?.options
const values = (options: unknown) => offered(options)?.map(option => option.value)

test('a list offers its items, and a map its keys', () => {
  expect(values(['red', 'green', 3])).toEqual(['red', 'green', '3'])
  expect(values({ left: 'Left', right: { en: 'Right', de: 'Rechts' } })).toEqual(['left', 'right'])
  expect(offered({ right: { en: 'Right', de: 'Rechts' } })).toEqual([
    { value: 'right', text: { en: 'Right', de: 'Rechts' }, disabled: false },
  ])
})

test('a map with numeric keys is a list', () => {
  expect(values({ 1: 'One', 2: 'Two' })).toEqual(['One', 'Two'])
})

test('options can have more properties', () => {
  expect(
    offered([{ value: 'gull', text: 'Gull', icon: 'bird', info: 'Common', disabled: true }, { value: 5 }]),
  ).toEqual([
    { value: 'gull', text: 'Gull', icon: 'bird', info: 'Common', disabled: true },
    { value: '5', text: '5', disabled: false },
  ])
  expect(offered({ gull: { text: 'Gull' } })).toEqual([{ value: 'gull', text: 'Gull', disabled: false }])
  expect(values({ type: 'array', options: ['a'] })).toEqual(['a'])
})

test('options from a query allow every value', () => {
  for (const options of ['site.children', { type: 'query', query: 'x' }, { type: 'api', url: 'y' }]) {
    expect(values(options)).toBeUndefined()
    expect(fieldTypes['select']!.write('anything', field('select', { options }))).toEqual({ stored: 'anything' })
    expect(fieldTypes['tags']!.read('a, b', field('tags', { options, accept: 'options' }))).toEqual(['a', 'b'])
  }
})

test('an invalid list of options is refused in a blueprint', () => {
  for (const options of [5, true, [null], [[]], [{}], { a: null }, { a: [] }, [{ text: 'no value' }]])
    expect(() => field('select', { options }), `for ${JSON.stringify(options)}`).toThrow(/list of values/)
})

test.each(['radio', 'select', 'toggles'])('%s accepts one of its options; any other value becomes empty', name => {
  const type = fieldTypes[name]!
  const one = field(name, { options: ['1', 'two'] })
  expect(type.write('two', one)).toEqual({ stored: 'two' })
  expect(type.write(1, one)).toEqual({ stored: '1' })
  expect(type.write('three', one)).toEqual({ stored: '' })
  expect(type.read('three', one)).toBe('')
  expect(type.write(['two'], one)).toHaveProperty('errors.type')
  expect(type.write(true, one)).toHaveProperty('errors.type')
})

test('lists keep their order and drop values that are not offered', () => {
  const options = ['gull', 'tern', 'heron']
  const write = (name: string, sent: unknown, settings = {}) =>
    fieldTypes[name]!.write(sent, field(name, { options, ...settings })) as { stored: StoredValue }
  expect(write('checkboxes', ['tern', 'gull', 'crow'])).toEqual({ stored: 'tern, gull' })
  expect(write('checkboxes', 'heron,crow , tern')).toEqual({ stored: 'heron, tern' })
  expect(write('multiselect', ['tern', 'crow', 'gull'], { separator: ';' })).toEqual({ stored: 'tern; gull' })
  expect(write('tags', ['sun', 'two words'], { separator: ';' })).toEqual({ stored: 'sun; two words' })
  expect(write('tags', ['gull', 'crow'], { accept: 'options' })).toEqual({ stored: 'gull' })
  expect(write('tags', ['a', { text: 'b' }])).toHaveProperty('errors.type')
  expect(fieldTypes['tags']!.read('one;two words; three', field('tags', { separator: ';' }))).toEqual([
    'one',
    'two words',
    'three',
  ])
})

const check = (value: unknown, settings: object, required = true) =>
  Object.keys(fieldTypes['tags']!.check(value, field('tags', { ...settings }), required))

test('lists check their minimum and maximum number of entries', () => {
  expect(check([], { min: 1 })).toEqual(['required'])
  expect(check([], { min: 1 }, false)).toEqual([])
  expect(check(['a'], { min: 2 })).toEqual(['min'])
  expect(check(['a'], { min: 2 }, false)).toEqual([])
  expect(check(['a', 'b', 'c'], { max: 2 })).toEqual(['max'])
  expect(check(['a', 'b', 'c'], { max: 2 }, false)).toEqual(['max'])
  expect(check([], { required: true })).toEqual(['required'])
})

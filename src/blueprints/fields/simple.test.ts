import { expect, test } from 'vitest'
import { field } from '../../../test/fields.ts'
import { fieldTypes } from './index.ts'

const read = (type: string, stored: string, settings = {}) => fieldTypes[type]!.read(stored, field(type, settings))
const write = (type: string, sent: unknown, settings = {}) => fieldTypes[type]!.write(sent, field(type, settings))
const rules = (type: string, value: unknown, settings = {}) =>
  Object.keys(fieldTypes[type]!.check(value, field(type, settings)))

// ---- texts

test('texts are trimmed when stored and shown', () => {
  for (const type of ['text', 'email', 'url', 'tel', 'slug', 'textarea', 'hidden', 'color', 'link']) {
    expect(write(type, '  a\n ')).toEqual({ stored: 'a' })
    expect(read(type, '  a\n ')).toBe('a')
    for (const wrong of [5, true, ['a'], { a: 1 }]) expect(write(type, wrong)).toHaveProperty('errors.type')
  }
})

test('a converter changes sent and shown values', () => {
  expect(write('text', 'Räuber & Gäste', { converter: 'slug' })).toEqual({ stored: 'rauber-gaste' })
  expect(read('text', 'Räuber & Gäste', { converter: 'slug' })).toBe('rauber-gaste')
  expect(read('text', 'aBc', { converter: 'lower' })).toBe('abc')
  expect(read('text', 'aBc', { converter: 'upper' })).toBe('ABC')
  expect(read('text', 'étude', { converter: 'ucfirst' })).toBe('Étude')
})

test('lengths are counted in characters', () => {
  const lengths = { minlength: 2, maxlength: 3 }
  expect(rules('text', 'a', lengths)).toEqual(['minlength'])
  expect(rules('text', '🌊', lengths)).toEqual(['minlength'])
  expect(rules('text', '🌊🌊🌊', lengths)).toEqual([])
  expect(rules('text', 'abcd', lengths)).toEqual(['maxlength'])
  expect(rules('textarea', 'abcd', lengths)).toEqual(['maxlength'])
  expect(rules('text', '', lengths)).toEqual([])
})

test('email addresses and URLs are validated', () => {
  expect(rules('email', 'a@b.example')).toEqual([])
  expect(rules('email', 'a')).toEqual(['email'])
  expect(rules('url', 'https://b.example')).toEqual([])
  expect(rules('url', 'nope')).toEqual(['url'])
  expect(rules('tel', '+44 20 1234')).toEqual([])
  expect(rules('slug', 'Not A Slug')).toEqual([])
})

// ---- numbers

test('numbers are accepted as numbers or texts, with a point or a comma', () => {
  expect(write('number', 7)).toEqual({ stored: 7 })
  expect(write('number', '1,5')).toEqual({ stored: 1.5 })
  expect(write('number', ' -1.50 ')).toEqual({ stored: -1.5 })
  expect(write('number', -0)).toEqual({ stored: 0 })
  expect(write('range', '1e3')).toEqual({ stored: 1000 })
  for (const wrong of ['eleven', '1.2.3', '1,000.5', '0x10', 'Infinity', '1e999', {}, [1], true])
    expect(write('number', wrong), `for ${JSON.stringify(wrong)}`).toHaveProperty('errors.type')
})

test('a stored text that is not a number is read as 0, and an unset one as empty', () => {
  expect(read('number', 'eleven')).toBe(0)
  expect(read('number', '1e999')).toBe(0)
  expect(read('number', '12 apples')).toBe(12)
  expect(read('number', '3,5')).toBe(3.5)
  expect(read('number', '')).toBe('')
})

test('numbers have limits; a range ends at 100 by default', () => {
  expect(rules('number', 11, { min: 0, max: 10 })).toEqual(['max'])
  expect(rules('number', -1, { min: 0, max: 10 })).toEqual(['min'])
  expect(rules('number', 0, { min: 0, required: true })).toEqual([])
  expect(rules('number', '', { min: 1 }), 'an empty value is not below the limit').toEqual([])
  expect(rules('range', 101)).toEqual(['max'])
  expect(rules('range', 101, { max: 200 })).toEqual([])
})

// ---- toggle

test('a toggle accepts a few words for true and false, and refuses others', () => {
  for (const yes of [true, 'true', 1, '1', 'on']) expect(write('toggle', yes)).toEqual({ stored: true })
  for (const no of [false, 'false', 0, '0', 'off']) expect(write('toggle', no)).toEqual({ stored: false })
  for (const wrong of ['yes', 'maybe', 2, [], {}]) expect(write('toggle', wrong)).toHaveProperty('errors.boolean')
  expect(read('toggle', 'on')).toBe(true)
  expect(read('toggle', 'yes')).toBe(false)
})

test('an unset toggle has the default of the blueprint', () => {
  expect(read('toggle', '', { default: true })).toBe(true)
  expect(read('toggle', 'false', { default: true })).toBe(false)
  expect(read('toggle', '')).toBe(false)
})

test('a required toggle must be on', () => {
  expect(rules('toggle', false, { required: true })).toEqual(['required'])
  expect(rules('toggle', true, { required: true })).toEqual([])
})

// ---- colour

test.each([
  ['hex', ['#fff', '#ffff', '#ff8800', '#FF8800CC'], ['fff', '#ff', '#ggg', 'blue', 'rgb(1,2,3)']],
  ['rgb', ['rgb(1, 2, 3)', 'rgb(1 2 3)', 'rgba(1,2,3,.5)', 'rgb(10% 20% 30% / 50%)'], ['#fff', 'rgb(1,2)', 'rgb()']],
  ['hsl', ['hsl(32, 100%, 50%)', 'hsl(120deg 75% 25%)', 'hsl(.5turn 75% 25% / 0.6)'], ['#fff', 'hsl(a,b,c)']],
])('%s is a valid colour', (format, good, bad) => {
  for (const value of good) expect(rules('color', value, { format }), `for ${value}`).toEqual([])
  for (const value of bad) expect(rules('color', value, { format }), `for ${value}`).toEqual(['color'])
  expect(write('color', 'blue')).toEqual({ stored: 'blue' })
})

test('alpha, mode and options of a colour do not limit what is accepted', () => {
  const settings = { alpha: false, mode: 'options', options: ['#003366'] }
  expect(write('color', '#ff880080', settings)).toEqual({ stored: '#ff880080' })
  expect(rules('color', '#ff880080', settings)).toEqual([])
})

// ---- link

test('a link is accepted if the blueprint allows its kind', () => {
  const good = [
    'https://example.org',
    'page://abc',
    '/@/page/abc',
    'file://abc',
    'mailto:a@b.example',
    'tel:+44123',
    '#top',
  ]
  for (const link of good) expect(rules('link', link), `for ${link}`).toEqual([])
  for (const link of ['nowhere', 'https://x', 'page://', 'mailto:x', 'tel:1 2', '#', 'javascript:alert(1)', '/about'])
    expect(rules('link', link), `for ${link}`).toEqual(['value'])
  const some = { options: ['page', 'email'] }
  expect(rules('link', 'mailto:a@b.example?subject=x', some)).toEqual([])
  expect(rules('link', 'https://example.org', some)).toEqual(['value'])
  expect(rules('link', '/about', { options: ['custom'] })).toEqual([])
  expect(
    rules('link', 'https://x', { options: ['url', 'custom'] }),
    'a value with the prefix of one kind is not accepted as another',
  ).toEqual(['value'])
})

// ---- hidden

test('a hidden field is a text or null', () => {
  expect(read('hidden', 'whisper')).toBe('whisper')
  expect(read('hidden', '')).toBeNull()
})

// ---- pickers

test.each(['files', 'pages', 'users'])('%s keep references unchanged, from texts, maps or YAML', name => {
  expect(write(name, ['page://a', ' notes '])).toEqual({ stored: ['page://a', 'notes'] })
  expect(write(name, [{ id: 'notes', uuid: 'page://a', text: 'Notes' }])).toEqual({ stored: ['page://a'] })
  expect(write(name, [{ id: 'notes', uuid: 'page://a' }], { store: 'id' })).toEqual({ stored: ['notes'] })
  expect(write(name, [{ email: 'a@b.example' }])).toEqual({ stored: ['a@b.example'] })
  expect(write(name, '- a\n- b')).toEqual({ stored: ['a', 'b'] })
  for (const wrong of [5, {}, [5], [null], [{}], [['a']], [''], true])
    expect(write(name, wrong), `for ${JSON.stringify(wrong)}`).toHaveProperty('errors.type')
})

test('references are read from lists in any style, or from a single one', () => {
  expect(read('pages', '- page://a\n- b/c')).toEqual(['page://a', 'b/c'])
  expect(read('pages', 'notes')).toEqual(['notes'])
  expect(read('pages', '- 2024\n- "01"')).toEqual(['2024', '01'])
  expect(read('pages', '["a", "b c"]')).toEqual(['a', 'b c'])
  expect(read('users', '- @abc')).toEqual(['@abc'])
  expect(read('users', '@abc')).toEqual(['@abc'])
  expect(read('users', '- {a: b}')).toEqual([])
})

test('a picker with multiple: false accepts one reference', () => {
  expect(rules('pages', ['a', 'b'], { multiple: false })).toEqual(['max'])
  expect(rules('pages', ['a', 'b'], { max: 2 })).toEqual([])
  expect(rules('pages', [], { min: 1 })).toEqual(['required'])
})

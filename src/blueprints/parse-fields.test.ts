import { expect, test } from 'vitest'
import { message } from '../platform/texts.ts'
import { problemsOf, readAll } from '../../test/blueprints.ts'
import type { Column } from './blueprints.ts'
import type { Fields, NestedFields } from './fields/field.ts'

function fieldsOf(fields: string, files: Record<string, string> = {}) {
  const reading = readAll({ ...files, 'pages/it.yml': `fields:\n${fields}` })
  const { fields: checked, broken, sections } = reading.pages.get('it')!
  const shown = sections.get('main-fields')?.fields ?? {}
  const problems = problemsOf(reading).map(line => line.replace(/^pages\/it.yml:/, ''))
  return { fields: checked, broken: [...broken], shown, problems }
}

test('type, label and width have defaults', () => {
  const { fields, shown, problems } = fieldsOf('  tags: true\n  text:\n  subTitle: {type: text}')
  expect(problems).toEqual([])
  expect(shown).toEqual({
    tags: { name: 'tags', type: 'tags', label: 'Tags', width: '1/1' },
    text: { name: 'text', type: 'text', label: 'Text', width: '1/1' },
    subTitle: { name: 'subTitle', type: 'text', label: 'SubTitle', width: '1/1' },
  })
  expect(fields.get('subtitle')).toMatchObject({ name: 'subtitle', label: 'SubTitle', width: '1/1' })
})

test('the definition is shown as written; the compiled field has defaults', () => {
  const { fields, shown } = fieldsOf('  a: {type: text, label: {en: A, de: Ä}, maxlength: 5, help: "{{ page.title }}"}')
  expect(shown['a']).toEqual({
    name: 'a',
    type: 'text',
    label: { en: 'A', de: 'Ä' },
    width: '1/1',
    maxlength: 5,
    help: '{{ page.title }}',
  })
  expect(fields.get('a')).toMatchObject({
    required: false,
    disabled: false,
    translate: true,
    maxlength: 5,
    counter: true,
  })
})

test('groups are replaced by their fields, in place', () => {
  const { fields, shown, problems } = fieldsOf(
    '  a: {type: text}\n  group: {type: group, fields: {b: {type: text}, c: fields/group}}\n  d: {type: text}',
    { 'fields/group.yml': 'type: group\nfields:\n  x: {type: text}' },
  )
  expect(problems).toEqual([])
  expect([...fields.keys()]).toEqual(['a', 'b', 'x', 'd'])
  expect(Object.keys(shown)).toEqual(['a', 'b', 'x', 'd'])
})

test('older words for true and false are accepted in boolean settings', () => {
  const { fields, problems } = fieldsOf('  a: {type: text, required: yes, translate: no, label: no}')
  expect(problems).toEqual([])
  expect(fields.get('a')).toMatchObject({ required: true, translate: false, label: 'no' })
})

// ---- invalid blueprints

test.each([
  ['an unknown type', '{type: txet}', '2:7 there is no field type "txet"; do you mean "text"?'],
  ['an invalid type', '{type: [text]}', '2:7 there is no field type "…"'],
  ['a member of JavaScript as type', '{type: constructor}', '2:7 there is no field type "constructor"'],
  ['no type, and a name of no type', 'true', '2:3 there is no field type "a"'],
  ['a number for a field', '5', '2:3 must be a map of settings, such as `label: Title`'],
  ['a wrong setting', '{type: text, maxlength: long}', '2:19 "maxlength" must be a number'],
  ['a wrong setting of all fields', '{type: text, required: perhaps}', '2:19 "required" must be true or false'],
  ['a wrong condition', '{type: text, when: yes}', '2:19 "when" must be a group of settings'],
  ['a setting that says itself what is wrong', '{type: text, pattern: "("}', /^2:19 "pattern": /],
  ['a width that no column can have', '{type: layout, layouts: ["1/13"]}', /"layouts": "1\/13" is not a width/],
])('%s turns the field into an error note, and its name stays reserved', (_, field, problem) => {
  const { fields, broken, shown, problems } = fieldsOf(`  a: ${field}\n  b: {type: text}`)
  expect(problems).toEqual([typeof problem === 'string' ? problem : expect.stringMatching(problem)])
  expect(broken).toEqual(['a'])
  expect([...fields.keys()]).toEqual(['b'])
  expect(shown['a']).toMatchObject({ type: 'info', label: message('blueprint.error'), name: 'a', theme: 'negative' })
})

test.each([
  [
    'an unknown setting',
    '{type: text, maxlenght: 5}',
    '2:19 there is no setting "maxlenght" here; do you mean "maxlength"?',
  ],
  ['a setting of another type', '{type: text, options: [a]}', '2:19 there is no setting "options" here'],
  ['a wrong label', '{type: text, label: [a]}', '2:19 "label": This must be a text, or texts by language.'],
  ['a wrong width', '{type: text, width: half}', '2:19 "width" has a value that does not fit'],
])('%s is reported and ignored; the field works', (_, field, problem) => {
  const { fields, broken, problems } = fieldsOf(`  a: ${field}`)
  expect(problems).toEqual([problem])
  expect(broken).toEqual([])
  expect(fields.get('a')).toMatchObject({ label: 'A', width: '1/1' })
})

test('of two fields with one name the first can be used', () => {
  const reading = readAll({
    'pages/it.yml': 'columns:\n  - fields: {twice: {type: text}}\n  - fields: {Twice: {type: number}}',
  })
  const { fields, broken, tabs } = reading.pages.get('it')!
  expect(problemsOf(reading)).toEqual([
    'pages/it.yml:3:14 there is already a field "Twice"; only the first one can be filled in',
  ])
  expect(fields.get('twice')).toMatchObject({ type: 'text' })
  expect([...broken]).toEqual([])
  const [, second] = tabs[0]!.columns as Column[]
  expect(second!.sections['main-col-1-fields']!.fields).toMatchObject({ Twice: { type: 'info' } })
})

test('if the first of them is invalid, neither can be used', () => {
  const { fields, broken } = fieldsOf('  a: {type: nonsense}\n  A: {type: text}')
  expect([...fields.keys()]).toEqual([])
  expect(broken).toEqual(['a'])
})

test.each(['a b', 'ä', '-a', 'a.b', '""', 'constructor', 'prototype', 'Constructor', '../a'])(
  '%s is not a valid field name',
  name => {
    const { fields, problems } = fieldsOf(`  ${JSON.stringify(name)}: {type: text}`)
    expect(fields.size).toBe(0)
    expect(problems).toEqual([expect.stringContaining('cannot be the name of a field')])
  },
)

test('__proto__ is not a valid field name and is dropped', () => {
  const { fields, problems } = fieldsOf(
    '  __proto__: {type: text, polluted: true}\n  a: {type: text, __proto__: {polluted: true}}',
  )
  expect([...fields.keys()]).toEqual(['a'])
  expect(problems).toHaveLength(2)
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  expect(fields.get('a')!['polluted']).toBeUndefined()
})

test('texts by language must be texts', () => {
  expect(fieldsOf('  a: {type: text, label: {en: {x: 1}}}').problems).toHaveLength(1)
})

test('unreadable queries are reported', () => {
  const { problems, fields } = fieldsOf(
    '  a: {type: text, help: "{{ page. }}"}\n  b: {type: pages, query: "site.children("}',
  )
  expect(problems).toEqual([
    '2:19 the query "page." cannot be understood',
    '3:20 the query "site.children(" cannot be understood',
  ])
  expect(fields.size).toBe(2)
})

// ---- fields in fields

const nested = (fields: Fields, name: string) => fields.get(name) as unknown as NestedFields

test('the fields of a structure are checked like those of a page', () => {
  const { fields, shown, problems } = fieldsOf(
    '  rows:\n    type: structure\n    fields:\n      street: fields/street\n      Count: {type: number, min: 1}\n      odd: {type: nonsense}\n      street2: {type: text, oops: 1}',
    { 'fields/street.yml': 'type: text\nlabel: Street' },
  )
  const rows = nested(fields, 'rows')
  expect([...rows.fields.keys()]).toEqual(['street', 'count', 'street2'])
  expect(rows.fields.get('count')).toMatchObject({ name: 'count', type: 'number', min: 1 })
  expect(shown['rows']).toMatchObject({
    fields: {
      street: { name: 'street', type: 'text', label: 'Street', width: '1/1' },
      Count: { name: 'Count', label: 'Count' },
      odd: { type: 'info' },
    },
  })
  expect(problems).toEqual(['7:13 there is no field type "nonsense"', '8:29 there is no setting "oops" here'])
})

test('a structure without fields has no fields', () => {
  expect(nested(fieldsOf('  rows: {type: structure}').fields, 'rows').fields.size).toBe(0)
})

test('fields with one name in different structures do not conflict', () => {
  const { problems } = fieldsOf(
    '  a: {type: text}\n  b: {type: object, fields: {a: {type: text}}}\n  c: {type: structure, fields: {a: {type: text}}}',
  )
  expect(problems).toEqual([])
})

const setsOf = (blocks: string, files: Record<string, string> = {}) => {
  const { fields, problems } = fieldsOf(`  blocks: ${blocks}`, files)
  return { sets: nested(fields, 'blocks').fieldsets, problems }
}

test('a blocks field without `fieldsets` offers the built-in ones, in order', () => {
  const { sets, problems } = setsOf('true')
  expect(problems).toEqual([])
  expect([...sets.keys()]).toEqual([
    'code',
    'gallery',
    'heading',
    'image',
    'line',
    'list',
    'markdown',
    'quote',
    'text',
    'video',
    'table',
  ])
  expect(Object.fromEntries([...sets].map(([type, { fields }]) => [type, [...fields.keys()]]))).toEqual({
    code: ['code', 'language'],
    gallery: ['images', 'caption', 'ratio', 'crop'],
    heading: ['level', 'text'],
    image: ['location', 'image', 'src', 'alt', 'caption', 'link', 'ratio', 'crop'],
    line: [],
    list: ['text'],
    markdown: ['text'],
    quote: ['text', 'citation'],
    table: ['table'],
    text: ['text'],
    video: ['location', 'url', 'video', 'poster', 'caption', 'autoplay', 'muted', 'loop', 'controls', 'preload'],
  })
  expect(sets.get('heading')!.fields.get('level')).toMatchObject({ type: 'toggles', default: 'h2' })
})

test('blocks can be listed by name, and a site can define its own', () => {
  const { sets, problems } = setsOf('{type: blocks, fieldsets: [text, callout, heading]}', {
    'blocks/callout.yml':
      'name: Callout\nicon: alert\nfields:\n  tone: {type: select, options: [info, warn]}\n  body: {type: textarea}',
    'blocks/heading.yml': 'extends: blocks/heading\nname: Title\nfields:\n  level: false',
  })
  expect(problems).toEqual([])
  expect([...sets.keys()]).toEqual(['text', 'callout', 'heading'])
  expect(sets.get('callout')).toMatchObject({ type: 'callout', name: 'Callout', icon: 'alert', editable: true })
  expect([...sets.get('callout')!.fields.keys()]).toEqual(['tone', 'body'])
  expect(sets.get('heading')).toMatchObject({ name: 'Title', icon: 'title' })
  expect([...sets.get('heading')!.fields.keys()]).toEqual(['text'])
})

test('blocks can be switched, changed and grouped in a map', () => {
  const { sets, problems } = setsOf(
    `
    type: blocks
    fieldsets:
      text: true
      quote: false
      heading: {name: Title}
      mine: {name: Mine, fields: {a: {type: text}}}
      other: {extends: blocks/text, name: Other}
      media:
        type: group
        label: Media
        fieldsets: [image, video]`,
  )
  expect(problems).toEqual([])
  expect([...sets.keys()]).toEqual(['text', 'heading', 'mine', 'other', 'image', 'video'])
  expect(sets.get('heading')).toMatchObject({ name: 'Title', type: 'heading' })
  expect(sets.get('heading')!.fields.has('level')).toBe(true)
  expect([...sets.get('mine')!.fields.keys()]).toEqual(['a'])
  expect(sets.get('other')!.fields.has('text')).toBe(true)
  expect(sets.get('image')).toMatchObject({ group: { label: 'Media' } })
})

test('a block can have tabs', () => {
  const { sets, problems } = setsOf('{type: blocks, fieldsets: [box]}', {
    'blocks/box.yml':
      'tabs:\n  one: {fields: {a: {type: text}}}\n  two: {label: Second, fields: {b: {type: text}}}\n  three: false',
  })
  expect(problems).toEqual([])
  expect([...sets.get('box')!.fields.keys()]).toEqual(['a', 'b'])
  expect(sets.get('box')!['tabs']).toMatchObject([
    { name: 'one', label: 'One', fields: { a: { type: 'text' } } },
    { name: 'two', label: 'Second' },
  ])
})

test('a block can contain itself', () => {
  const { sets, problems } = setsOf('{type: blocks, fieldsets: [box]}', {
    'blocks/box.yml': 'fields:\n  title: {type: text}\n  inner: {type: blocks, fieldsets: [box, text]}',
  })
  expect(problems).toEqual([])
  const box = sets.get('box')!
  expect(nested(box.fields, 'inner').fieldsets.get('box')).toBe(box)
})

test.each([
  ['{type: blocks, fieldsets: [gone]}', '2:38 there is no block "gone": write blueprints/blocks/gone.yml'],
  [
    '{type: blocks, fieldsets: 5}',
    '2:26 "fieldsets" must be a list of blocks, or a group of settings for each of them',
  ],
  ['{type: blocks, fieldsets: {text: {nmae: x}}}', '2:45 there is no setting "nmae" here; do you mean "name"?'],
  ['{type: blocks, fieldsets: [text, text]}', '2:44 there is already a block "text"'],
])('blocks: %s is reported', (field, problem) => {
  expect(fieldsOf(`  blocks: ${field}`).problems).toEqual([problem])
})

test('a block with an invalid definition is left out, and its stored content stays', () => {
  const { sets, problems } = setsOf(
    '{type: blocks, fieldsets: {text: true, gone: true, odd: true, own: {extends: blocks/gone}}}',
    {
      'blocks/odd.yml': 'extends: blocks/gone\nfields:\n  a: {type: text}',
    },
  )
  expect([...sets.keys()]).toEqual(['text'])
  expect(problems).toHaveLength(3)
})

test('an invalid field of a block keeps its name', () => {
  const { sets } = setsOf('{type: blocks, fieldsets: [odd]}', {
    'blocks/odd.yml': 'fields:\n  a: {type: text}\n  B: {type: nonsense}',
  })
  expect([...sets.get('odd')!.fields.keys()]).toEqual(['a'])
  expect([...sets.get('odd')!.broken]).toEqual(['b'])
})

test('a block that contains itself in a group has all its fields there', () => {
  const { sets } = setsOf('{type: blocks, fieldsets: [box]}', {
    'blocks/box.yml':
      'fields:\n  inner: {type: blocks, fieldsets: {all: {type: group, fieldsets: [box]}}}\n  title: {type: text}',
  })
  const box = nested(sets.get('box')!.fields, 'inner').fieldsets.get('box')!
  expect([...box.fields.keys()]).toEqual(['inner', 'title'])
})

test('unused blocks are checked as well', () => {
  expect(problemsOf(readAll({ 'blocks/box.yml': 'fields:\n  a: {type: nonsense}' }))).toEqual([
    'blocks/box.yml:2:7 there is no field type "nonsense"',
  ])
})

test('a layout has blocks, and fields for its rows', () => {
  const { fields, problems } = fieldsOf(
    '  it: {type: layout, fieldsets: [text], settings: {fields: {anchor: {type: text}}}}\n  bare: {type: layout}',
  )
  expect(problems).toEqual([])
  const [it, bare] = [nested(fields, 'it'), nested(fields, 'bare')]
  expect([...it.fieldsets.keys()]).toEqual(['text'])
  expect([...it.settings.fields.keys()]).toEqual(['anchor'])
  expect(bare.settings.fields.size).toBe(0)
  expect(bare.fieldsets.size).toBe(11)
})

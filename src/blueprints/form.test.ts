import { expect, test } from 'vitest'
import { message } from '../platform/texts.ts'
import { problemsOf, readAll } from '../../test/blueprints.ts'
import type { Column, Section } from './blueprints.ts'

/** One page blueprint, with others beside it to extend. */
function page(text: string, files: Record<string, string> = {}) {
  const reading = readAll({ ...files, 'pages/it.yml': text })
  return { ...reading.pages.get('it')!, problems: problemsOf(reading) }
}

const field = (name: string, more: object = {}) => ({
  name,
  type: 'text',
  label: name[0]!.toUpperCase() + name.slice(1),
  width: '1/1',
  ...more,
})

const columnsOf = (text: string) => page(text).tabs[0]!.columns as Column[]

// ---- levels

test('fields alone become a section in a column in a tab', () => {
  const { tabs, sections, fields, problems } = page('title: It\nfields:\n  a: {type: text}\n  b: {type: number}')
  const section = {
    name: 'main-fields',
    type: 'fields',
    fields: { a: field('a'), b: field('b', { type: 'number' }) },
  }
  expect(problems).toEqual([])
  expect(tabs).toEqual([
    { name: 'main', label: 'Main', icon: null, columns: [{ width: '1/1', sections: { 'main-fields': section } }] },
  ])
  expect([...sections]).toEqual([['main-fields', section]])
  expect([...fields.keys()]).toEqual(['a', 'b'])
  expect(fields.get('a')).toMatchObject({ name: 'a', type: 'text', required: false, translate: true })
})

test('sections alone are put into one column', () => {
  const [column] = columnsOf('sections:\n  pages: true\n  pictures: {type: files, template: image}\n  gone: false')
  expect(column).toEqual({
    width: '1/1',
    sections: {
      pages: { name: 'pages', type: 'pages' },
      pictures: { name: 'pictures', type: 'files', template: 'image' },
    },
  })
})

test('columns are a list or a map', () => {
  const [one, two] = columnsOf(
    'columns:\n  - width: 2/3\n    fields: {a: {type: text}}\n  - sections: {info: {text: Hi}}',
  )
  expect(one).toMatchObject({ width: '2/3', sections: { 'main-col-0-fields': { fields: { a: field('a') } } } })
  expect(two).toMatchObject({ width: '1/1', sections: { info: { type: 'info', text: 'Hi' } } })
  const { tabs } = page('columns:\n  left: {fields: {a: {type: text}}}\n  right: {}')
  expect(tabs[0]!.columns).toEqual({
    left: { width: '1/1', sections: { 'main-col-left-fields': expect.objectContaining({ type: 'fields' }) } },
    right: { width: '1/1', sections: { 'main-info-right': expect.objectContaining({ type: 'info' }) } },
  })
})

test('tabs keep their label, icon and other settings', () => {
  const { tabs, problems } = page(
    'tabs:\n  one: {icon: star, label: {en: One, de: Eins}, own: 1, fields: {a: {type: text}}}\n  two: {sections: {info: true}}\n  three: false\n  four:',
  )
  expect(problems).toEqual([])
  expect(tabs).toMatchObject([
    { name: 'one', label: { en: 'One', de: 'Eins' }, icon: 'star', own: 1 },
    { name: 'two', label: 'Two', icon: null },
    { name: 'four', label: 'Four', columns: [{ sections: { 'four-info-0': { type: 'info' } } }] },
  ])
  expect(tabs[0]).toHaveProperty(['columns', 0, 'sections', 'one-fields'])
})

test('a fields section without fields shows a note', () => {
  const { sections } = page('sections:\n  empty: {type: fields}')
  expect(sections.get('empty')!.fields).toMatchObject({ 'empty-info': { type: 'info' } })
})

test('of two nested levels side by side the inner one is used', () => {
  const { fields, problems } = page('tabs:\n  one: {fields: {a: {type: text}}}\nfields:\n  b: {type: text}')
  expect([...fields.keys()]).toEqual(['b'])
  expect(problems).toEqual(['pages/it.yml:1:1 "tabs" does not count here, because there is "fields" beside it'])
})

test('a page without a form has no tabs', () => {
  expect(page('title: It')).toMatchObject({ tabs: [], problems: [] })
})

test.each([
  ['tabs: 5', '1:1 "tabs" must be a group of settings'],
  ['columns: text', '1:1 "columns" must be a group of settings'],
  ['columns: [5]', '1:11 must be a map of settings, such as `label: Title`'],
  ['columns: [{feilds: {}}]', '1:12 there is no setting "feilds" here; do you mean "fields"?'],
  ['sections: [a, b]', /1:12 there is no blueprints\/a.yml to extend/],
  [
    'sections: {a: {type: page}}',
    '1:16 there is no section type "page"; it can be fields, pages, files, info or stats',
  ],
  ['sections: {pages: {lable: x}}', '1:20 there is no setting "lable" here; do you mean "label"?'],
  ['sections: {pages: {limit: many}}', '1:20 "limit" must be a number'],
  ['sections: {pages: {status: public}}', /^1:20 "status" must be draft, drafts, unlisted, listed, published or all$/],
  ['fields: [a]', '1:1 fields must have names'],
  ['fields: text', '1:1 fields must have names'],
  ['tabs: {a: {label: [1], fields: {}}}', '1:12 "label": This must be a text, or texts by language.'],
])('%s is reported', (source, problem) => {
  const { problems } = page(source)
  if (typeof problem === 'string') expect(problems).toContain(`pages/it.yml:${problem}`)
  else expect(problems.map(line => line.replace('pages/it.yml:', ''))).toContainEqual(expect.stringMatching(problem))
})

test('an invalid setting of a section is ignored, the others stay', () => {
  const { sections } = page('sections:\n  pages: {limit: many, template: note}')
  expect(sections.get('pages')).toEqual({ name: 'pages', type: 'pages', template: 'note' })
})

test('a section of an unknown type is shown as a note', () => {
  const { sections, problems } = page('sections:\n  odd: {type: nonsense}\n  pages: true')
  expect(sections.get('odd')).toMatchObject({
    type: 'info',
    label: message('blueprint.error'),
    text: expect.stringContaining('"nonsense"'),
  })
  expect(sections.has('pages')).toBe(true)
  expect(problems).toHaveLength(1)
})

test('two sections with one name are reported; the fields of both can be used', () => {
  const { sections, fields, problems } = page(
    'columns:\n  - sections: {a: {type: fields, fields: {x: {type: text}}}}\n  - sections: {a: {type: fields, fields: {y: {type: text}}}}',
  )
  expect(problems).toEqual(['pages/it.yml:3:16 there is already a section "a"'])
  expect([...fields.keys()]).toEqual(['x', 'y'])
  expect(Object.keys((sections.get('a') as Section).fields!)).toEqual(['x'])
})

// ---- extends

test('own settings override, maps are merged deeply, lists are replaced', () => {
  const { fields, tabs, problems } = page(
    'fields:\n  a: {extends: fields/base, label: Mine, options: [c], when: {y: 2}}',
    {
      'fields/base.yml': 'type: select\nlabel: Base\nrequired: true\noptions: [a, b]\nwhen: {x: 1}',
    },
  )
  expect(problems).toEqual([])
  expect(fields.get('a')).toMatchObject({ type: 'select', label: 'Mine', required: true, when: { x: 1, y: 2 } })
  expect(tabs[0]).toHaveProperty(['columns', 0, 'sections', 'main-fields', 'fields', 'a'], {
    ...field('a'),
    type: 'select',
    label: 'Mine',
    required: true,
    options: ['c'],
    when: { x: 1, y: 2 },
  })
})

test('extends can be a text, and parents can have parents', () => {
  const { fields, tabs, problems } = page('tabs:\n  seo: tabs/seo\n', {
    'tabs/seo.yml': 'label: Search\nfields:\n  meta: fields/meta',
    'fields/meta.yml': 'extends: fields/base\nlabel: Meta',
    'fields/base.yml': 'type: textarea\nlabel: Base',
  })
  expect(problems).toEqual([])
  expect(tabs[0]).toMatchObject({ name: 'seo', label: 'Search' })
  expect(fields.get('meta')).toMatchObject({ type: 'textarea', label: 'Meta' })
})

test('of several parents the first takes precedence', () => {
  const { fields, problems } = page('fields:\n  a: {extends: [fields/one, fields/two]}', {
    'fields/one.yml': 'type: text\nlabel: One',
    'fields/two.yml': 'label: Two\nhelp: Two',
  })
  expect(problems).toEqual([])
  expect(fields.get('a')).toMatchObject({ label: 'One', help: 'Two' })
})

test('a whole blueprint can extend another and remove parts of it', () => {
  const { title, fields, problems } = page('extends: pages/base\ntitle: It\nfields:\n  b: false\n  c: {type: text}', {
    'pages/base.yml': 'title: Base\nfields:\n  a: {type: text}\n  b: {type: text}',
  })
  expect({ title, problems }).toEqual({ title: 'It', problems: [] })
  expect([...fields.keys()]).toEqual(['a', 'c'])
})

test('a missing parent is reported and ignored', () => {
  const { fields, problems } = page('fields:\n  a: {extends: fields/gone, type: text}\n  text: fields/gone')
  expect([...fields.keys()]).toEqual(['a', 'text'])
  expect(problems).toEqual([
    'pages/it.yml:2:7 there is no blueprints/fields/gone.yml to extend',
    'pages/it.yml:3:3 there is no blueprints/fields/gone.yml to extend',
  ])
})

test('more parents than are read are reported', () => {
  const names = Array.from({ length: 21 }, (_, index) => `fields/f${index}`)
  const { problems } = page(
    `fields:\n  a: {type: text, extends: [${names.join(', ')}]}`,
    Object.fromEntries(names.map(name => [`${name}.yml`, 'label: It'])),
  )
  expect(problems).toEqual([expect.stringMatching(/^pages\/it\.yml:2:\d+ extends names more than 20 blueprints$/)])
})

test('a cycle is reported and stopped', () => {
  const { fields, problems } = page('fields:\n  a: {extends: fields/one}', {
    'fields/one.yml': 'extends: fields/two\ntype: text',
    'fields/two.yml': 'extends: fields/one\nlabel: Two',
  })
  expect(fields.get('a')).toMatchObject({ type: 'text', label: 'Two' })
  expect(problems).toEqual(['fields/two.yml:1:1 this extends itself: fields/one → fields/two → fields/one'])
})

test.each([
  ['a name out of the folder', '../../etc/passwd'],
  ['an absolute name', '/etc/passwd'],
  ['a member of JavaScript', '__proto__'],
  ['an empty name', '""'],
])('%s cannot be extended', (_, name) => {
  const { problems } = page(`fields:\n  a: {extends: ${name}, type: text}`)
  expect(problems).toEqual([expect.stringMatching(/:2:7 there is no blueprints\/.* to extend$/)])
})

test('fields that contain themselves are limited', () => {
  const { fields, problems } = page('fields:\n  a: fields/one', {
    'fields/one.yml': 'type: structure\nfields:\n  a: fields/one\n  b: fields/one',
  })
  expect(fields.has('a')).toBe(true)
  expect(problems).toContainEqual(expect.stringMatching(/^fields\/one.yml:3:3 this is nested too deeply/))
  const groups = page('fields:\n  a: fields/one', { 'fields/one.yml': 'type: group\nfields:\n  a: fields/one' })
  expect(groups.problems).toHaveLength(1)
})

const ten = (name: string) => Array.from({ length: 10 }, (_, index) => `  f${index}: ${name}`).join('\n')

test('extending is limited in size', () => {
  const levels = Object.fromEntries(
    Array.from({ length: 8 }, (_, level) => [
      `fields/l${level}.yml`,
      `type: structure\nfields:\n${ten(`fields/l${level + 1}`)}`,
    ]),
  )
  const { problems } = page(`fields:\n${ten('fields/l0')}`, { ...levels, 'fields/l8.yml': 'type: text' })
  expect(problems).toContainEqual(expect.stringMatching(/this blueprint has more than 5000 parts$/))
})

// ---- presets

test('preset page has fields on the left, and pages and files on the right', () => {
  const [left, right] = columnsOf('preset: page\nfiles: {template: image}\nfields:\n  a: {type: text}')
  expect(left).toMatchObject({ width: '2/3', sections: { 'main-col-0-fields': { fields: { a: field('a') } } } })
  expect(right).toEqual({
    width: '1/3',
    sections: {
      pages: { name: 'pages', type: 'pages', label: 'blueprint.pages', status: 'all', layout: 'list' },
      files: { name: 'files', type: 'files', label: 'blueprint.files', layout: 'list', template: 'image' },
    },
  })
})

test('preset page can omit or replace parts of its sidebar', () => {
  const [, right] = columnsOf('preset: page\npages: Chapters\nfiles: false')
  expect(right!.sections).toMatchObject({ pages: { label: 'Chapters' } })
  expect(Object.keys(right!.sections)).toEqual(['pages'])
  const { tabs, problems } = page('preset: page\npages: false\nfiles: false\nfields:\n  a: {type: text}')
  expect({ width: (tabs[0]!.columns as Column[])[0]!.width, problems }).toEqual({ width: '1/1', problems: [] })
  const [, side] = columnsOf('preset: page\nsidebar:\n  info: {text: Hi}')
  expect(side!.sections).toMatchObject({ info: { text: 'Hi' } })
})

test('preset pages lists drafts and listed pages', () => {
  const { sections, problems } = page('preset: pages\ntemplate: note\nunlisted: true\ndrafts: {label: Sketches}')
  expect(problems).toEqual([])
  expect(Object.fromEntries(sections)).toMatchObject({
    drafts: { type: 'pages', status: 'draft', label: 'Sketches', templates: 'note' },
    unlisted: { status: 'unlisted' },
    listed: { status: 'listed' },
  })
  expect([...page('preset: pages\ndrafts: false').sections.keys()]).toEqual(['listed'])
})

test('preset files has one section', () => {
  const { sections, problems } = page('title: It\npreset: files\ntemplate: image\nlayout: list')
  expect(problems).toEqual([])
  expect([...sections.values()]).toEqual([
    { name: 'files', type: 'files', label: 'blueprint.files', layout: 'list', template: 'image' },
  ])
})

test('an unknown preset is reported', () => {
  expect(page('preset: pgaes').problems).toEqual(['pages/it.yml:1:1 there is no preset "pgaes"; do you mean "pages"?'])
})

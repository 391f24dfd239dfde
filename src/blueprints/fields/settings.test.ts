import { expect, test } from 'vitest'
import { fieldTypes } from './index.ts'

/** The default settings of every type. */
const defaults: Record<string, object> = {
  blocks: { group: 'blocks' },
  checkboxes: { columns: 1, options: [] },
  color: { alpha: false, format: 'hex', mode: 'picker', options: [] },
  date: { calendar: true, display: 'YYYY-MM-DD', icon: 'calendar', time: false },
  email: { autocomplete: 'email', font: 'sans-serif', icon: 'email', spellcheck: false },
  files: { layout: 'list', link: true, multiple: true, search: true, size: 'auto', store: 'uuid' },
  gap: {},
  headline: {},
  hidden: { autofocus: false },
  info: {},
  layout: { group: 'blocks', layouts: [['1/1']] },
  line: {},
  link: { options: ['url', 'page', 'file', 'email', 'tel', 'anchor'] },
  list: { marks: true },
  multiselect: { accept: 'options', icon: 'checklist', search: true, separator: ',', sort: false },
  number: { step: '' },
  object: {},
  pages: { layout: 'list', link: true, multiple: true, search: true, size: 'auto', store: 'uuid', subpages: true },
  radio: { columns: 1, options: [] },
  range: { max: 100, tooltip: true },
  select: { options: [], placeholder: '—' },
  slug: { allow: '', font: 'sans-serif', icon: 'url', wizard: false },
  structure: { duplicate: true },
  table: { header: true },
  tags: { accept: 'all', icon: 'tag', search: true, separator: ',', sort: false },
  tel: { autocomplete: 'tel', font: 'sans-serif', icon: 'phone' },
  text: { counter: true, font: 'sans-serif', spellcheck: false },
  textarea: { buttons: true, counter: true, files: [], font: 'sans-serif', spellcheck: true },
  time: { format: 'H:i:s', icon: 'clock', notation: 24 },
  toggle: { autofocus: false },
  toggles: { grow: true, labels: true, reset: true, options: [] },
  url: { autocomplete: 'url', font: 'sans-serif', icon: 'url' },
  users: { layout: 'list', link: true, multiple: true, search: true, size: 'auto', store: 'uuid' },
  writer: { counter: true, headings: [1, 2, 3, 4, 5, 6], inline: false },
}

test.each(Object.keys(fieldTypes))('%s has defaults and refuses unknown settings', name => {
  const { settings } = fieldTypes[name]!
  expect(settings.parse({})).toMatchObject(defaults[name]!)
  expect(settings.safeParse({ nonsense: true }).success).toBe(false)
  expect(fieldTypes[name]!.settings, 'the schema is created once').toBe(settings)
})

/** Typical settings of blueprints. */
const samples: [type: string, settings: object][] = [
  ['text', { before: '<', after: '>', placeholder: { en: 'Type', de: 'Tippe' }, icon: 'heart', counter: false }],
  ['text', { converter: 'slug', pattern: '^[a-z]+$', minlength: 3, maxlength: 6, validate: { alpha: true }, autofocus: true }],
  ['textarea', { buttons: ['bold', 'italic'], files: 'page.images', uploads: 'image', size: 'large', maxlength: 500 }],
  ['textarea', { buttons: false, files: { query: 'page.images' }, uploads: false }],
  ['number', { min: 0, max: 10, step: 0.5, before: '€' }],
  ['range', { min: -5, max: 5, step: 1, tooltip: { before: 'ca.', after: 'km' } }],
  ['slug', { sync: 'title', allow: 'a-z0-9', path: '/x/', wizard: { field: 'title', text: 'Make' } }],
  ['date', { min: '2020-01-01', max: '2029-12-31', time: true, display: 'DD.MM.YYYY', format: 'd.m.Y' }],
  ['date', { time: { step: 15, notation: 12, display: 'hh:mm a' }, calendar: false, step: 'month' }],
  ['time', { step: 15, min: '06:00', max: '22:00', notation: 12 }],
  ['toggle', { text: ['shut', 'open'] }],
  ['toggle', { text: { en: 'Open', de: 'Offen' } }],
  ['toggles', { options: { left: 'Left' }, reset: false, grow: false, labels: false }],
  ['checkboxes', { min: 1, max: 2, columns: 3, options: [{ value: 'gull', text: 'Gull' }] }],
  ['select', { options: { type: 'query', query: 'site.children', text: '{{ page.title }}', value: '{{ page.slug }}' } }],
  ['select', { options: { type: 'api', url: 'https://example.org', query: 'Items' }, placeholder: 'Choose' }],
  ['multiselect', { max: 2, options: ['red'], search: { min: 2 }, sort: true, layout: 'list' }],
  ['tags', { separator: ';', accept: 'options', options: ['fog'] }],
  ['color', { format: 'hsl', alpha: true, mode: 'options', options: { '#003366': 'Deep' } }],
  ['link', { options: ['page', 'email', 'custom'] }],
  ['list', { marks: ['bold'], nodes: false }],
  ['writer', { inline: true, marks: ['bold', '|', 'link'], nodes: ['heading'], headings: [2, 3], toolbar: { inline: false }, maxlength: 80 }],
  ['blocks', { max: 8, min: 1, empty: 'Nothing yet', group: 'my', pretty: true }],
  ['layout', { layouts: ['1/1', '1/2, 1/2', ['1/3', '2/3']], max: 3 }],
  ['structure', { min: 1, max: 4, columns: { what: { width: '1/2' }, qty: true }, sortable: false, sortBy: 'what desc', limit: 5, prepend: true, duplicate: false, empty: 'None' }],
  ['files', { max: 2, uploads: { template: 'image' }, store: 'id', layout: 'cards', text: '{{ file.name }}', info: 'x', image: { cover: true }, parent: 'site', query: 'page.images', size: 'small' }],
  ['pages', { query: 'site.children', multiple: false, subpages: false, search: false, link: false, image: false, empty: 'None' }],
  ['users', { store: 'email', image: false }],
  ['info', { text: 'Plain *note*', theme: 'positive', icon: false }],
  ['headline', { numbered: true }],
] // prettier-ignore

test.each(samples)('%s accepts %j', (type, settings) => {
  const checked = fieldTypes[type]!.settings.safeParse(settings)
  expect(checked.error?.issues ?? []).toEqual([])
})

test('rows of a layout are lists of widths, as text or list', () => {
  expect(fieldTypes['layout']!.settings.parse({ layouts: ['1/2, 1/2', ['1/1']] })).toMatchObject({
    layouts: [['1/2', '1/2'], ['1/1']],
  })
})

test.each([
  [['1/1', '1/13'], '1/13'],
  [['1/2, half'], 'half'],
  [[['0/2', '2/2']], '0/2'],
  [['1/2,'], ''],
])('a layout refuses %j, and names the width', (layouts, width) => {
  const checked = fieldTypes['layout']!.settings.safeParse({ layouts })
  expect(checked.error?.issues).toMatchObject([
    { path: ['layouts', layouts.length - 1], message: expect.stringContaining(`"${width}"`) as unknown },
  ])
})

const wrong: [type: string, settings: object][] = [
  ['text', { maxlength: -1 }],
  ['text', { minlength: 'three' }],
  ['text', { converter: 'reverse' }],
  ['text', { font: 'serif' }],
  ['number', { min: '1' }],
  ['tags', { separator: '' }],
  ['tags', { accept: 'some' }],
  ['link', { options: ['phone'] }],
  ['color', { format: 'cmyk' }],
  ['writer', { headings: [7] }],
  ['checkboxes', { min: 1.5 }],
  ['toggle', { text: ['one'] }],
  ['layout', { layouts: '1/1' }],
  ['time', { notation: 13 }],
]

test.each(wrong)('%s refuses %j', (type, settings) => {
  expect(fieldTypes[type]!.settings.safeParse(settings).success).toBe(false)
})

test('only structured types have nested fields', () => {
  const nested = Object.entries(fieldTypes).filter(([, type]) => type.nested.length > 0)
  expect(Object.fromEntries(nested.map(([name, type]) => [name, type.nested]))).toEqual({
    blocks: ['fieldsets'],
    layout: ['fieldsets', 'settings'],
    object: ['fields'],
    structure: ['fields'],
  })
})

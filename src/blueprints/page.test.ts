import { expect, test } from 'vitest'
import { message } from '../platform/texts.ts'
import { inLanguage } from '../platform/translations/translations.ts'
import { problemsOf, readAll } from '../../test/blueprints.ts'
import { catalogue } from './permissions/permissions.ts'

function page(text: string, files: Record<string, string> = {}) {
  const reading = readAll({ 'users/editor.yml': '', ...files, 'pages/it.yml': text })
  const problems = problemsOf(reading).map(line => line.replace(/^pages\/it.yml:/, ''))
  return { ...reading.pages.get('it')!, problems }
}

test('a site without blueprints has defaults for pages, files, the site and administrators', () => {
  const { pages, files, site, roles, problems } = readAll({})
  expect(problems).toEqual([])
  expect([...pages.keys(), ...files.keys(), ...roles.keys()]).toEqual(['default', 'default', 'admin'])
  expect(pages.get('default')).toMatchObject({
    name: 'pages/default',
    title: message('blueprint.page'),
    tabs: [],
    num: 'default',
    preview: true,
  })
  expect(files.get('default')).toMatchObject({ name: 'files/default', title: message('blueprint.file'), tabs: [] })
  expect([...site.sections.keys()]).toEqual(['pages'])
})

test('unset options are null', () => {
  const { options } = page('title: It')
  expect(options).toEqual(Object.fromEntries(catalogue.pages.map(action => [action, null])))
})

test('options: for all, by role, by older names', () => {
  const { options, problems } = page(
    'options: {delete: false, update: {admin: true, "*": false}, url: true, sort: no, read: ~, status: {editor: off}}',
  )
  expect(problems).toEqual([])
  expect(options).toMatchObject({
    delete: false,
    update: { admin: true, '*': false },
    changeSlug: true,
    sort: false,
    read: null,
    changeStatus: { editor: false },
    create: null,
  })
  expect(options).not.toHaveProperty('url')
  expect(page('options: {url: true, changeSlug: false}').options).toMatchObject({ changeSlug: false })
})

test('options can be set as a whole', () => {
  expect(new Set(Object.values(page('options: false').options))).toEqual(new Set([false]))
  expect(new Set(Object.values(page('options: true').options))).toEqual(new Set([null]))
})

test('changeTemplate can be a list, and preview a URL', () => {
  expect(page('options: {changeTemplate: [it, other], preview: "{{ page.url }}?look=1"}')).toMatchObject({
    changeTemplate: ['it', 'other'],
    preview: '{{ page.url }}?look=1',
    options: { changeTemplate: null, preview: null },
    problems: [],
  })
  expect(page('options: {preview: false, changeTemplate: false}')).toMatchObject({
    preview: false,
    changeTemplate: [],
    options: { preview: false, changeTemplate: false },
  })
})

test.each([
  ['options: {delete: perhaps}', { delete: false }, /^1:11 this must be true, false/],
  ['options: {delete: [editor]}', { delete: false }, /^1:11 this must be true, false/],
  ['options: {delete: {editor: 5, "*": true}}', { delete: { editor: false, '*': true } }, /^1:20 this must be/],
  [
    'options: {delete: {editro: true}}',
    { delete: { editro: true } },
    /^1:20 there is no role "editro"; do you mean "editor"\?/,
  ],
  ['options: {destroy: true}', {}, /^1:11 there is no action "destroy" here/],
  ['options: maybe', { delete: false, read: false }, /^1:1 "options" must be/],
])('%s: an invalid option denies', (text, expected, problem) => {
  const { options, problems } = page(text)
  expect(options).toMatchObject(expected)
  expect(problems).toEqual([expect.stringMatching(problem)])
})

test('the default statuses have texts', () => {
  const { status } = page('')
  expect(Object.keys(status)).toEqual(['draft', 'unlisted', 'listed'])
  for (const { label, text } of Object.values(status)) {
    for (const words of [label, text!]) {
      expect(inLanguage(words, 'en')).toMatch(/^[A-Z][a-z]/)
      expect(inLanguage(words, 'de')).not.toBe(inLanguage(words, 'en'))
    }
  }
})

test('statuses can be chosen and named; draft always exists', () => {
  const defaults = page('').status
  const { status, problems } = page(
    'status:\n  listed: {label: On show}\n  unlisted: Back room\n  draft: {label: {en: A}, text: B}',
  )
  expect(problems).toEqual([])
  expect(Object.entries(status)).toEqual([
    ['listed', { label: 'On show', text: null }],
    ['unlisted', { label: 'Back room', text: null }],
    ['draft', { label: { en: 'A' }, text: 'B' }],
  ])
  expect(page('status: {listed: true, unlisted: false}').status).toEqual({
    draft: defaults.draft,
    listed: defaults.listed,
  })
  expect(page('status: {draft: false}').status).toEqual({ draft: defaults.draft })
})

test.each([
  ['status: {published: true}', /^1:10 there is no status "published"/],
  ['status: public', /^1:1 "status" must name some of/],
  ['status: {listed: [x]}', /^1:10 "listed" must be true, false, a text/],
  ['status: {listed: {name: x}}', /^1:19 there is no setting "name" here/],
  ['num: alphabet', /^1:1 "num" must be/],
  ['num: [date]', /^1:1 "num" must be/],
  ['title: [It]', /^1:1 "title": This must be a text/],
  ['tilte: It', /^1:1 there is no setting "tilte" here; do you mean "title"\?/],
])('%s is reported', (text, problem) => {
  expect(page(text).problems).toEqual([expect.stringMatching(problem)])
})

test.each([
  ['', 'default'],
  ['num: sort', 'default'],
  ['num: 0', 'zero'],
  ['num: zero', 'zero'],
  ['num: date', 'date'],
  ['num: datetime', 'datetime'],
  ['num: "{{ page.year }}"', '{{ page.year }}'],
])('%s numbers pages by %s', (text, num) => {
  expect(page(text)).toMatchObject({ num, problems: [] })
})

test('titles can be translated; the default title is the name', () => {
  expect(page('title: {en: It, de: Es}').title).toEqual({ en: 'It', de: 'Es' })
  expect(page('title: 1984').title).toBe('1984')
  expect(page('').title).toBe('It')
})

test('settings for the panel are kept as written', () => {
  expect(
    page('icon: star\nimage: {back: black}\ncreate: {title: {label: Name}}\nnavigation: {status: all}'),
  ).toMatchObject({
    icon: 'star',
    image: { back: 'black' },
    create: { title: { label: 'Name' } },
    navigation: { status: 'all' },
    problems: [],
  })
})

test('template names are lower-case', () => {
  const reading = readAll({ 'pages/Note.yml': '' })
  expect([...reading.pages.keys()]).toEqual(['default'])
  expect(problemsOf(reading)).toEqual([
    'pages/Note.yml:1:1 the name of a template is written in small letters: note.yml',
  ])
})

test('subfolders contain files to extend', () => {
  const { pages } = readAll({ 'pages/base/note.yml': 'title: Base', 'pages/note.yml': 'extends: pages/base/note' })
  expect([...pages.keys()]).toEqual(['default', 'note'])
  expect(pages.get('note')!.title).toBe('Base')
})

test('a page with an unreadable blueprint is visible to administrators only and read-only', () => {
  const { options, fields, tabs, problems } = page('options: {read: {"*": false}}\n\tfields: x')
  expect(problems).toHaveLength(1)
  expect({ fields: fields.size, tabs }).toEqual({ fields: 0, tabs: [] })
  expect(options).toMatchObject({ read: { admin: true, '*': false }, update: false, create: false })
})

function file(text: string) {
  const reading = readAll({ 'files/it.yml': text })
  return { ...reading.files.get('it')!, problems: problemsOf(reading) }
}

test('files: accepted types', () => {
  const defaults = ['image', 'document', 'archive', 'audio', 'video']
  expect(file('').accept).toEqual({ type: defaults })
  expect(file('accept: image/*, .PDF ').accept).toEqual({ mime: ['image/*', '.pdf'] })
  expect(file('accept: {mime: "image/jpeg, image/PNG", maxSize: "100", MinWidth: 5}').accept).toEqual({
    mime: ['image/jpeg', 'image/png'],
    maxsize: 100,
    minwidth: 5,
  })
  expect(file('accept: [image/jpeg, "video/*"]').accept).toEqual({ mime: ['image/jpeg', 'video/*'] })
  expect(file('accept: {extension: "png, .SVG", maxsize: 100}').accept).toEqual({
    extension: ['png', 'svg'],
    maxsize: 100,
  })
  expect(file('accept: {type: [image], orientation: square}').accept).toEqual({
    type: ['image'],
    orientation: 'square',
  })
  expect(file('accept: {maxwidth: 600}').accept).toEqual({ type: defaults, maxwidth: 600 })
  expect(file('accept: {maxwidth: wide}')).toMatchObject({
    accept: { mime: [] },
    problems: [expect.stringContaining('"maxwidth" must be a number')],
  })
  expect(file('accept: 5')).toMatchObject({
    accept: { mime: [] },
    problems: [expect.stringContaining('"accept" must be')],
  })
  expect(file('a: [')).toMatchObject({ accept: { mime: [] }, options: { create: false, replace: false } })
  expect(file('create: {width: 24}\noptions: {changeTemplate: [it, other], delete: {admin: true}}')).toMatchObject({
    create: { width: 24 },
    changeTemplate: ['it', 'other'],
    options: { delete: { admin: true } },
    problems: [],
  })
})

test('the site has its own options', () => {
  const { site, problems } = readAll({
    'site.yml': 'title: Press\noptions: {changeTitle: false, access: true}\nfields: {a: {type: text}}',
  })
  expect(problems).toEqual([])
  expect(site).toMatchObject({
    name: 'site',
    title: 'Press',
    options: { changeTitle: false, update: null, access: true },
  })
  expect([...site.fields.keys()]).toEqual(['a'])
})

import { expect, test } from 'vitest'
import type { FileEntry, PageEntry, UserEntry } from '../../../client/client.ts'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { createStarterApp } from '../../../test/starter.ts'
import type { Blueprint } from '../../blueprints/blueprints.ts'
import type { Fieldset } from '../../blueprints/fields/field.ts'
import { fieldTypes } from '../../blueprints/fields/index.ts'
import { membersOf } from './fields.ts'
import type { Member, Type } from './print.ts'

// ---- whether a value is of a type

/** The compiler keeps these lists complete. */
const entries: Record<string, readonly string[]> = {
  FileEntry: Object.keys({
    dragText: 1, filename: 1, id: 1, image: 1, info: 1, link: 1, sortable: 1, text: 1, type: 1, url: 1, uuid: 1,
  } satisfies Record<keyof FileEntry, 1>),
  PageEntry: Object.keys({
    dragText: 1, hasChildren: 1, id: 1, image: 1, info: 1, link: 1, sortable: 1, text: 1, url: 1, uuid: 1,
  } satisfies Record<keyof PageEntry, 1>),
  UserEntry: Object.keys({
    email: 1, id: 1, image: 1, info: 1, link: 1, sortable: 1, text: 1, username: 1, uuid: 1,
  } satisfies Record<keyof UserEntry, 1>),
} // prettier-ignore

const blocks = new Map<string, Fieldset>()
const nameOf = (set: Fieldset) => {
  blocks.set(`block ${set.type}`, set)
  return `block ${set.type}`
}

type Values = Record<string, unknown>

function mustHaveType(type: Type, value: unknown, at: string): void {
  if (typeof type === 'string') return mustHaveTypeNamed(type, value, at)
  if ('union' in type) {
    const fieldset = type.union.map(name => blocks.get(name)).find(set => set && set.type === (value as Values)['type'])
    if (fieldset) return mustHaveTypeNamed(`block ${fieldset.type}`, value, at)
    expect(type.union, `in ${at}`).toContain(`'${String(value)}'`)
  } else if ('list' in type) {
    expect(value, `in ${at}`).toBeInstanceOf(Array)
    for (const [index, one] of (value as unknown[]).entries()) mustHaveType(type.list, one, `${at}.${index}`)
  } else if ('members' in type) mustHave(type.members, value as Values, at)
  else if (type.name === 'OrBroken' || value !== '') mustHaveType(type.of, value, at)
}

/** Exactly these names. */
function mustHave(members: readonly Member[], value: Values, at: string): void {
  expect(Object.keys(value).toSorted(), `in ${at}`).toEqual(members.map(({ name }) => name).toSorted())
  for (const { name, type } of members) mustHaveType(type, value[name], `${at}.${name}`)
}

function mustHaveTypeNamed(name: string, value: unknown, at: string): void {
  const set = blocks.get(name)
  if (set) {
    expect(value, `in ${at}`).toMatchObject({ id: expect.any(String), isHidden: expect.any(Boolean), type: set.type })
    return mustHave(membersOf(set, nameOf), (value as { content: Values }).content, at)
  }
  const entry = entries[name.replace('[]', '')]
  if (entry) for (const one of value as object[]) expect(Object.keys(one).toSorted(), `in ${at}`).toEqual(entry)
  else if (name === 'Record<string, unknown>') expect(value, `in ${at}`).toBeTypeOf('object')
  else
    expect(kindsOf(value), `${at} must be ${name}`).toSatisfy((kinds: string[]) =>
      kinds.some(kind => name.split(' | ').includes(kind)),
    )
}

/** The names that a value goes by. */
const kindsOf = (value: unknown) => (value === null ? ['null'] : [typeof value, ...(value === '' ? ["''"] : [])])

function mustBe(form: Blueprint, content: Values, ignored: readonly string[]): void {
  const own = Object.fromEntries(Object.entries(content).filter(([name]) => !ignored.includes(name)))
  mustHave(membersOf(form, nameOf), own, form.name)
}

// ---- sent content

const every = Object.entries(fieldTypes)
  .filter(([, type]) => type.saved)
  .map(([name]) => {
    const more: Record<string, string> = {
      blocks: ', fieldsets: [heading, image, line]',
      checkboxes: ', options: [a, b]',
      layout: ', fieldsets: [text], settings: { fields: { wide: { type: toggle } } }',
      multiselect: ', options: [a, b]',
      object: ', fields: { street: { type: text }, since: { type: number } }',
      radio: ', options: [a, b]',
      select: ', options: [a, b]',
      structure: ', fields: { who: { type: users }, when: { type: time } }',
      toggles: ', options: [a, b]',
    }
    return `  ${name}: { type: ${name}${more[name] ?? ''} }`
  })

const filledIn = (user: string, page: string) => ({
  blocks: [{ type: 'heading', content: { text: 'x', level: 'h3' } }, { type: 'image' }, { type: 'line' }],
  checkboxes: ['a'],
  color: '#ff0000',
  date: '2026-05-31',
  email: 'ada@example.org',
  hidden: 'x',
  layout: [{ attrs: { wide: true }, columns: [{ width: '1/2', blocks: [{ type: 'text', content: { text: 'x' } }] }] }],
  link: 'https://example.org',
  list: '<ul><li>x</li></ul>',
  multiselect: ['a', 'b'],
  number: 3,
  object: { street: 'Quay 4' },
  pages: [page],
  radio: 'a',
  range: 5,
  select: 'b',
  structure: [{ who: [`user://${user}`], when: '18:30' }],
  table: { header: true, rows: [['a', 'b']] },
  tags: ['x'],
  time: '18:30',
  toggle: true,
  toggles: 'a',
  users: [`user://${user}`],
})

test('responses match the generated types for every field type, empty and filled in', async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, { 'pages/all.yml': `fields:\n${every.join('\n')}` })
  const site = await createTestApp({ storage })
  expect(site.app.blueprints.problems).toEqual([])
  const editor = await createTokenClient(site)
  const { id } = editor
  await addPage(site, '', { slug: 'a', title: 'A', template: 'all' })
  const { data: empty } = await editor.done('GET', 'pages/a')
  mustBe(site.app.blueprints.page('all'), empty.content, ['title', 'uuid'])
  await editor.done('PATCH', 'pages/a', filledIn(id, empty.uuid))
  const { data: full } = await editor.done('GET', 'pages/a')
  mustBe(site.app.blueprints.page('all'), full.content, ['title', 'uuid'])
  expect(full.content).toMatchObject({
    pages: [{ id: 'a' }],
    structure: [{ who: [{ id }] }],
    users: [{ id }],
    object: { since: '' },
  })
})

test('the starter matches its types', async () => {
  const site = await createStarterApp()
  const { blueprints } = site.app
  const editor = await createTokenClient(site)
  mustBe(blueprints.site(), (await editor.done('GET', 'site')).data.content, ['title'])
  for (const id of [
    'home',
    'about',
    'notes',
    'error',
    'notes+ink-in-winter',
    'notes+sheets-on-a-line',
    'notes+what-a-quoin-is',
  ]) {
    const { data } = await editor.done('GET', `pages/${id}`)
    mustBe(blueprints.page(data.template), data.content, ['title', 'uuid'])
  }
  const { data: files } = await editor.done('GET', 'pages/notes+ink-in-winter/files?view=default')
  mustBe(blueprints.file('picture'), files[0].content, ['sort', 'template', 'uuid'])
})

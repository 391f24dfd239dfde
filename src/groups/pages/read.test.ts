import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { catalogue } from '../../blueprints/permissions/permissions.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { revisionIn } from '../../../test/revision.ts'
import { changeTitle } from './update.ts'
import { contentLanguage } from '../../content/languages/languages.ts'
import { operatorContext } from '../../cli/site.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/exhibit.yml': `
title: Exhibit
num: date
icon: star
options: { changeTemplate: [exhibit, note] }
fields:
  text: { type: text, required: true }
  price: { type: number }
`,
  'pages/note.yml': 'title: Note\nimage: false\noptions: { preview: "https://preview.example.org/{{ page.slug }}" }\n',
  'pages/secret.yml': 'title: Secret\noptions: { read: false }',
})
const site = await createTestApp({ storage })
const { url } = site.app.config
const admin = await createTokenClient(site)

const exhibits = await addPage(site, '', { slug: 'exhibits', title: 'Exhibits', draft: false })
const tide = await addPage(site, exhibits, {
  slug: 'tide-machine',
  template: 'exhibit',
  content: { title: 'Tide machine', text: 'It ebbs.', price: 3, extra: 'kept' },
})
const note = await addPage(site, exhibits, { slug: 'note', template: 'note', draft: false })
await addPage(site, tide, { slug: 'inner', draft: false })
const hidden = await addPage(site, exhibits, { slug: 'hidden', template: 'secret', draft: false })
await addPage(site, hidden, { slug: 'below', draft: false })

test('a page is found by its path with + for slashes, with content, options and parent', async () => {
  const { data, headers } = await admin.done('GET', 'pages/exhibits+tide-machine')
  expect(data).toEqual({
    content: {
      text: 'It ebbs.',
      price: 3,
      title: 'Tide machine',
      extra: 'kept',
      uuid: (data.uuid as string).slice('page://'.length),
    },
    id: 'exhibits/tide-machine',
    num: null,
    options: { ...Object.fromEntries(catalogue.pages.map(action => [action, true])), sort: false },
    parent: { id: 'exhibits', num: null, title: 'Exhibits', url: `${url}/exhibits`, uuid: `page://${exhibits}` },
    slug: 'tide-machine',
    status: 'draft',
    template: 'exhibit',
    title: 'Tide machine',
    url: `${url}/exhibits/tide-machine`,
    uuid: `page://${tide}`,
  })
  expect(revisionIn(headers)).toBe(1)
})

test.each(['exhibits+tide-machine.html', `@${tide}`, 'exhibits%2Btide-machine'])(
  'a page can be found by %s',
  async id => {
    expect((await admin.done('GET', `pages/${id}?select=id`)).data).toEqual({ id: 'exhibits/tide-machine' })
  },
)

test.each([
  'nothing',
  'exhibits+nothing',
  `@${tide}x`,
  '..%2F..%2Fetc%2Fpasswd',
  '+',
  '++',
  'exhibits+',
  'exhibits+hidden',
  '%27%20or%201=1',
])('the page %s is not found', async id => {
  expect(await admin.call('GET', `pages/${id}`)).toMatchObject({ status: 404 })
})

const show = async (view: string) => (await admin.done('GET', `pages/exhibits+tide-machine?view=${view}`)).data

test('the views have the documented fields', async () => {
  expect(Object.keys(await show('compact'))).toEqual(['id', 'num', 'title', 'url', 'uuid'])
  expect(await show('panel')).toMatchObject({
    blueprint: { name: 'pages/exhibit', title: 'Exhibit', num: 'date' },
    parents: [{ id: 'exhibits', slug: 'exhibits', title: 'Exhibits' }],
  })
  expect(await show('selector')).toEqual({
    id: 'exhibits/tide-machine',
    title: 'Tide machine',
    parent: { id: 'exhibits', title: 'Exhibits' },
    children: [
      { hasChildren: false, id: 'exhibits/tide-machine/inner', panelImage: expect.anything(), title: 'inner' },
    ],
  })
  expect(Object.keys(await show('nonsense'))).toEqual(Object.keys(await show('default')))
})

test('every field can be selected', async () => {
  const { data } = await admin.done('GET', 'pages/exhibits+tide-machine?view=any')
  const extra = (await admin.done('GET', 'pages/exhibits+tide-machine?select=created,modified,revision')).data
  expect(data).toMatchObject({
    blueprints: [
      { name: 'exhibit', title: 'Exhibit' },
      { name: 'note', title: 'Note' },
    ],
    children: [{ id: 'exhibits/tide-machine/inner' }],
    drafts: [],
    errors: {},
    hasChildren: true,
    hasDrafts: false,
    isSortable: false,
    panelImage: { icon: 'star' },
    parents: [{ id: 'exhibits' }],
    siblings: [{ id: 'exhibits/note' }],
  })
  expect(extra.revision).toBe(1)
  expect(Date.parse(extra.modified)).toBeGreaterThanOrEqual(Date.parse(extra.created))
})

test('invisible pages are missing everywhere', async () => {
  const { data } = await admin.done('GET', 'pages/exhibits?select[]=children&select[]=drafts&select[]=hasDrafts')
  expect(data.children.map(({ id }: { id: string }) => id)).toEqual(['exhibits/note'])
  expect(data).toMatchObject({ drafts: [{ id: 'exhibits/tide-machine' }], hasDrafts: true })
  const below = await admin.done('GET', 'pages/exhibits+hidden+below?select[]=parent&select[]=parents')
  expect(below.data.parent).toBeNull()
  expect(below.data.parents.map(({ id }: { id: string }) => id)).toEqual(['exhibits'])
})

const preview = async (id: string) => (await admin.done('GET', `pages/${id}?select=previewUrl`)).data.previewUrl

test('the preview URL is that of the page or of the blueprint, without a pass for drafts', async () => {
  expect(await preview('exhibits')).toBe(`${url}/exhibits`)
  expect(await preview('exhibits+note')).toBe('https://preview.example.org/note')
  expect(await preview('exhibits+tide-machine')).toBe(`${url}/exhibits/tide-machine`)
})

test('related pages can be selected by their fields', async () => {
  const { data } = await admin.done('GET', 'pages/exhibits+note?select[parent][]=id&select[siblings][]=slug')
  expect(data).toEqual({ parent: { id: 'exhibits' }, siblings: [{ slug: 'note' }] })
  expect(await admin.call('GET', 'pages/exhibits?select[children]=any')).toMatchObject({ status: 400 })
})

test('the blueprint of a page has its own endpoint', async () => {
  const { data } = await admin.done('GET', 'pages/exhibits+note/blueprint')
  expect(data).toMatchObject({ name: 'pages/note', title: 'Note', preview: 'https://preview.example.org/note' })
})

test('a page without a title has its slug as title', async () => {
  expect((await admin.done('GET', 'pages/exhibits+note')).data.title).toBe('note')
  const language = await contentLanguage(site.app, undefined)
  await changeTitle(operatorContext(site.app), { uuid: note }, '  A \n note ', { language })
  expect((await admin.done('GET', 'pages/exhibits+note')).data).toMatchObject({ title: 'A note', slug: 'note' })
})

test('reading requires a session', async () => {
  const answer = await site.request({ url: '/api/pages/exhibits', headers: { host: new URL(url).host } })
  expect(answer.statusCode).toBe(401)
})

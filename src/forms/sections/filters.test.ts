import { expect, test } from 'vitest'
import { createTestApp, createTestStorage, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient, type TokenClient } from '../../../test/pages.ts'
import { describeRole } from '../../../test/signed-in-user.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/list.yml': `
title: List
sections:
  all: { type: pages, templatesIgnore: [secret], search: true, max: 10 }
  published: { type: pages, status: published, templates: [note, story] }
  sorted: { type: pages, sortBy: title desc, search: true, limit: 2 }
  found: { type: pages, query: "page.childrenAndDrafts.filterBy('template', '!=', 'secret')" }
`,
  'pages/note.yml':
    'title: Note\nstatus: { draft: Sketch, unlisted: true, listed: true }\nfields: { text: { type: text, required: true } }',
  'pages/story.yml': 'title: Story\noptions: { update: { clerk: false } }\nfields: { text: { type: text } }',
  'pages/secret.yml': 'title: Secret\noptions: { list: { clerk: false } }',
})
describeRole(storage, 'clerk', '')
const site = await createTestApp({ storage, quiet: true })
const [ada, clerk] = [await createTokenClient(site), await createTokenClient(site, { role: 'clerk' })]

const parent = await addPage(site, '', { slug: 'list', title: 'List', template: 'list', status: 'listed' })
const note = { template: 'note', content: { text: 'x' } }
await addPage(site, parent, { slug: 'a', title: 'Ape', ...note, status: 'listed' })
await addPage(site, parent, { slug: 'b', title: 'Bear', ...note, status: 'unlisted' })
await addPage(site, parent, { slug: 'c', title: 'Cat', template: 'note', content: {}, draft: true })
await addPage(site, parent, { slug: 'd', title: 'Dog', template: 'story', status: 'listed' })
await addPage(site, parent, { slug: 'e', title: 'Elk', template: 'story', draft: true })
await addPage(site, parent, { slug: 's', title: 'Secret', template: 'secret', status: 'listed' })

await ada.done('POST', 'pages/list+a/changes/save', { text: '' })
await ada.done('POST', 'pages/list+d/changes/save', { text: 'Draft' })
await clerk.done('POST', 'pages/list+b/changes/save', { text: 'Draft' })
const at = new Date(storage.clock() + 3_600_000).toISOString()
await ada.done('PATCH', 'pages/list+b/schedule', { status: 'listed', at })

interface Listed {
  data: { id: string }[]
  pagination: { total: number }
  options: { sortable: boolean; add: boolean; filters?: { statuses: object[]; templates: object[] } }
  errors: object
}
const list = async (query: string, name = 'all', who: TokenClient = ada) =>
  (await who.done('GET', `pages/list/sections/${name}?${query}`)) as unknown as Listed
const slugs = async (query: string, name?: string, who?: TokenClient) => {
  const { data, pagination } = await list(query, name, who)
  expect(pagination.total).toBeGreaterThanOrEqual(data.length)
  return data.map(({ id }) => id.slice(5)).join('')
}

test.each([
  ['', 'adbce'],
  ['status=draft', 'ce'],
  ['status=listed', 'ad'],
  ['template=story', 'de'],
  ['template=note&status=draft', 'c'],
  ['template=secret', ''],
  ['template=nothing', ''],
  ['state=changed', 'adb'],
  ['state=mine', 'ad'],
  ['state=mine&template=story', 'd'],
  ['state=scheduled', 'b'],
  ['state=incomplete', 'ac'],
  ['state=incomplete&status=draft', 'c'],
  ['state=changed&searchterm=bear', 'b'],
  ['status=draft&searchterm=bear', ''],
])('the list with %s', async (query, expected) => {
  expect(await slugs(query)).toBe(expected)
})

test('a filter only narrows what the blueprint lists, and keeps its order', async () => {
  expect(await slugs('status=draft', 'published')).toBe('')
  expect(await slugs('state=changed&page=2', 'sorted')).toBe('a')
  expect(await slugs('status=draft', 'sorted')).toBe('ec')
  expect(await slugs('state=changed', 'found')).toBe('adb')
  expect(await slugs('status=draft&template=note', 'found')).toBe('c')
  expect(await slugs('state=incomplete', 'found')).toBe('ac')
})

test('drafts are found only by callers who may update the page', async () => {
  expect(await slugs('state=changed', 'all', clerk)).toBe('ab')
  expect(await slugs('state=mine', 'all', clerk)).toBe('b')
  expect(await slugs('state=incomplete', 'all', clerk)).toBe('ac')
})

test('limits count all pages of the section; a filtered list cannot be sorted', async () => {
  const { options, errors } = await list('status=draft')
  expect(options).toMatchObject({ sortable: false, add: true })
  expect(errors).toEqual({})
  expect((await list('')).options.sortable).toBe(true)
})

test('what a list can be filtered by is shown with `states` only', async () => {
  expect((await list('')).options).not.toHaveProperty('filters')
  const { filters } = (await list('states=true&status=draft', 'all', clerk)).options
  expect(filters).toMatchObject({
    statuses: [
      { name: 'draft', label: null },
      { name: 'unlisted', label: 'Unlisted' },
      { name: 'listed', label: 'Public' },
    ],
    templates: [
      { name: 'note', title: 'Note' },
      { name: 'story', title: 'Story' },
    ],
    place: `page://${parent}/all`,
  })
  expect((await list('states=true', 'found')).options.filters!.templates).toHaveLength(2)
})

test.each(['status=all', 'status=', 'state=changed&state=mine', 'state=x', 'template=', `template=${'x'.repeat(101)}`])(
  '%s is refused',
  async query => {
    expect(await ada.call('GET', `pages/list/sections/all?${query}`)).toMatchObject({
      status: 400,
      key: 'error.validation',
    })
  },
)

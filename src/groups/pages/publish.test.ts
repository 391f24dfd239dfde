import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { createTokenClient } from '../../../test/pages.ts'
import { describeRole } from '../../../test/signed-in-user.ts'
import { createPage } from './create.ts'
import { carryOutDue } from './schedule/due.ts'
import { operatorContext } from '../../cli/site.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/default.yml':
    'num: date\noptions: { changeTemplate: [other] }\nfields: { text: { type: text, required: true }, note: { type: text }, date: { type: date } }',
  'pages/other.yml': 'fields: { text: { type: text } }',
})
describeRole(storage, 'marshal', 'permissions: { pages: { update: false } }')
const site = await createTestApp({ storage })
const [anna, bert, marshal] = [
  await createTokenClient(site),
  await createTokenClient(site),
  await createTokenClient(site, { role: 'marshal' }),
]

const hour = 60 * 60_000
const later = () => new Date(storage.clock() + hour).toISOString()

let pageCount = 0
async function newPage({ draft = true, content = {} }: { draft?: boolean; content?: Record<string, string> } = {}) {
  const slug = `page-${++pageCount}`
  await createPage(operatorContext(site.app), '', { shownReferences: 'all', slug, title: slug, content, draft })
  return `pages/${slug}`
}
const read = async (page: string) => (await anna.done('GET', `${page}?select=status,content,num,schedule`)).data
const entries = async (page: string) => (await anna.done('GET', `${page}/history`)).data as Record<string, unknown>[]

test('a status change can publish the draft, validated together or not at all', async () => {
  const page = await newPage()
  await anna.done('POST', `${page}/changes/save`, { note: 'n' })
  const publish = { status: 'listed', publishChanges: true }
  expect(await anna.call('PATCH', `${page}/status`, publish)).toMatchObject({
    key: 'error.page.changeStatus.incomplete',
    details: { text: { label: 'Text' } },
  })
  expect(await read(page)).toMatchObject({ status: 'draft', content: { note: '' } })
  await anna.done('POST', `${page}/changes/save`, { text: 'words', date: '2031-02-03' })
  const { draftRevision } = (await anna.done('GET', `${page}/changes`)).data
  expect(await anna.call('PATCH', `${page}/status`, { ...publish, draftRevision: 7 })).toMatchObject({ status: 412 })
  expect(await bert.call('PATCH', `${page}/status`, publish)).toMatchObject({ status: 423 })
  expect(await marshal.call('PATCH', `${page}/status`, publish)).toMatchObject({ status: 403 })
  await anna.done('PATCH', `${page}/status`, { ...publish, draftRevision })
  expect(await read(page)).toMatchObject({ status: 'listed', num: 20310203, content: { text: 'words', note: 'n' } })
  expect((await anna.done('GET', `${page}/changes`)).data).toMatchObject({ fields: [], draftRevision: 0 })
  expect((await entries(page)).slice(0, 2)).toMatchObject([
    { kind: 'event', action: 'status', detail: { before: 'draft', after: 'listed' }, user: { id: anna.id } },
    { kind: 'version', action: 'publish', fields: ['note', 'text', 'date'] },
  ])
})

test('by default a status change leaves the draft unchanged', async () => {
  const page = await newPage({ content: { text: 'first' } })
  await anna.done('POST', `${page}/changes/save`, { text: 'half' })
  await anna.done('PATCH', `${page}/status`, { status: 'listed' })
  expect(await read(page)).toMatchObject({ status: 'listed', content: { text: 'first' } })
  expect((await anna.done('GET', `${page}/changes`)).data).toMatchObject({ fields: ['text'] })
})

test('changes of a published page are published at the scheduled time, despite an edit lock', async () => {
  const page = await newPage({ draft: false, content: { text: 'first' } })
  const { status } = await read(page)
  await anna.done('POST', `${page}/changes/save`, { text: 'second' })
  await anna.done('PATCH', `${page}/schedule`, { status, at: later(), publishChanges: true })
  expect((await read(page)).schedule).toMatchObject({ status, publishChanges: true, problem: null })
  // Changes saved after scheduling are published, too.
  await storage.moveClock(hour - 60_000)
  await bert.done('POST', `${page}/changes/save`, { note: 'late' })
  await storage.moveClock(61_000)
  await carryOutDue(site.app)
  expect(await read(page)).toMatchObject({ status, schedule: null, content: { text: 'second', note: 'late' } })
  expect((await entries(page)).map(({ action }) => action)).toEqual(['publish', 'schedule', 'create'])
})

test('a scheduled publication that breaks a rule keeps draft and page', async () => {
  const page = await newPage()
  await anna.done('POST', `${page}/changes/save`, { note: 'no text' })
  await anna.done('PATCH', `${page}/schedule`, { status: 'listed', at: later(), publishChanges: true })
  await storage.moveClock(hour + 1000)
  await carryOutDue(site.app)
  const problem = 'error.page.changeStatus.incomplete'
  expect(await read(page)).toMatchObject({ status: 'draft', content: { note: '' }, schedule: { problem } })
  await anna.done('DELETE', `${page}/schedule`)
})

test('status, slug, move, template and schedule are events in the history, and no versions', async () => {
  const page = await newPage({ content: { text: 'first' } })
  const slug = page.slice('pages/'.length)
  await anna.done('PATCH', `${page}/slug`, { slug: `${slug}-new` })
  const at = later()
  const now = `${page}-new`
  await anna.done('PATCH', `${now}/schedule`, { status: 'listed', at })
  await anna.done('DELETE', `${now}/schedule`)
  await anna.done('PATCH', `${now}/template`, { template: 'other' })
  await newPage()
  const parent = `page-${pageCount}`
  await anna.done('PATCH', `${now}/move`, { parent })
  const moved = `pages/${parent}+${slug}-new`
  const all = await entries(moved)
  expect(all.map(({ action, detail }) => [action, detail])).toEqual([
    ['move', { before: `${slug}-new`, after: `${parent}/${slug}-new` }],
    ['template', { before: 'default', after: 'other' }],
    ['unschedule', {}],
    ['schedule', { before: 'draft', after: 'listed', at }],
    ['slug', { before: slug, after: `${slug}-new` }],
    ['create', null],
  ])
  expect(all[0]).toMatchObject({ kind: 'event', fields: [], language: null })
  const path = `${moved}/history/${String(all[0]!['id'])}`
  expect(await anna.call('GET', path)).toMatchObject({ status: 404, key: 'error.content.history.notFound' })
  expect(await anna.call('POST', `${path}/restore`)).toMatchObject({ status: 404 })
  // Other versions are compared over them.
  await anna.done('PATCH', moved, { text: 'second' })
  const [version] = await entries(moved)
  expect((await anna.done('GET', `${moved}/history/${String(version!['id'])}`)).data.changes).toEqual({
    text: { before: 'first', after: 'second' },
  })
})

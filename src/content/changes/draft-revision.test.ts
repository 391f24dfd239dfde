import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { createTokenClient } from '../../../test/pages.ts'
import { sweep } from '../../groups/auth/sweep.ts'
import { createPage } from '../../groups/pages/create.ts'
import { operatorContext } from '../../cli/site.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, { 'pages/default.yml': 'fields: { text: { type: text }, note: { type: text } }' })
const site = await createTestApp({ storage })
const [anna, bert] = [await createTokenClient(site), await createTokenClient(site)]

const minute = 60_000
const day = 24 * 60 * minute

let pageCount = 0
async function newPage(): Promise<string> {
  const slug = `page-${++pageCount}`
  await createPage(operatorContext(site.app), '', {
    shownReferences: 'all',
    slug,
    title: slug,
    content: { text: 'first' },
    draft: false,
  })
  return `pages/${slug}`
}

const save = (who: typeof anna, page: string, query: string, body: object) =>
  who.call('POST', `${page}/changes/save${query}`, body)
const changesOf = async (page: string, who = anna) => (await who.done('GET', `${page}/changes`)).data
const draftsIn = async (page: string, who = anna) =>
  ((await who.done('GET', `${page}/history`)).data as { id: number; kind: string; user: { id: string } }[]).filter(
    ({ kind }) => kind === 'draft',
  )

test('a stale window does not overwrite an autosave of another window', async () => {
  const page = await newPage()
  expect(await changesOf(page)).toMatchObject({ draftRevision: 0 })
  const one = await save(anna, page, '?draftRevision=0&window=one', { text: 'from one' })
  const firstRevision = (one as unknown as { draftRevision: number }).draftRevision
  expect(await changesOf(page)).toMatchObject({ draftRevision: firstRevision })
  const stale = await save(anna, page, '?draftRevision=0&window=two', { text: 'from two' })
  expect(stale).toMatchObject({ status: 412, key: 'error.content.changed', details: { draftRevision: firstRevision } })
  for (const path of [`changes/publish?draftRevision=0`, `changes/discard?draftRevision=0`])
    expect(await anna.call('POST', `${page}/${path}`)).toMatchObject({ status: 412 })
  expect((await changesOf(page)).content).toMatchObject({ text: 'from one' })
  const two = await save(anna, page, `?draftRevision=${firstRevision}&window=two`, { note: 'two' })
  expect(two.status).toBe(200)
  expect((await changesOf(page)).draftRevision).toBeGreaterThan(firstRevision)
  // Saving the same values keeps the draft revision; a new draft after a discard has a higher one.
  const { draftRevision } = await changesOf(page)
  await save(anna, page, `?draftRevision=${draftRevision}&window=two`, { note: 'two' })
  expect((await changesOf(page)).draftRevision).toBe(draftRevision)
  await anna.done('POST', `${page}/changes/discard?draftRevision=${draftRevision}`)
  await save(anna, page, '?draftRevision=0', { text: 'new' })
  expect(await save(anna, page, `?draftRevision=${draftRevision}`, { text: 'x' })).toMatchObject({ status: 412 })
})

test('an autosave overwritten by another window or account can be restored for a day', async () => {
  const page = await newPage()
  await save(anna, page, '?window=one', { text: 'from one', note: 'both' })
  await save(anna, page, '?window=one', { text: 'from one, longer' })
  expect(await draftsIn(page)).toEqual([])
  await save(anna, page, '?window=two', { text: 'from two' })
  const [first, ...others] = await draftsIn(page)
  expect(others).toEqual([])
  expect(first).toMatchObject({ action: 'overwritten', fields: ['text', 'note'], user: { id: anna.id } })
  expect((await anna.done('GET', `${page}/history/${first!.id}?compare=current`)).data.changes).toEqual({
    text: { before: 'first', after: 'from one, longer' },
    note: { before: '', after: 'both' },
  })
  await anna.done('POST', `${page}/history/${first!.id}/restore`)
  expect((await changesOf(page)).content).toMatchObject({ text: 'from one, longer', note: 'both' })
  expect(await draftsIn(page)).toHaveLength(2)
  expect((await anna.done('GET', `${page}?select=content`)).data.content).toMatchObject({ text: 'first' })

  // After the lock has expired and another account continues the draft, the text of the first one stays in the history.
  await bert.done('POST', `${page}/changes/unlock?window=three`)
  const { draftRevision } = await changesOf(page)
  await save(bert, page, `?draftRevision=${draftRevision}&window=three`, { text: 'of bert' })
  await storage.moveClock(11 * minute)
  expect(await save(anna, page, `?draftRevision=${draftRevision}&window=one`, { text: 'stale' })).toMatchObject({
    status: 412,
  })
  await bert.done('POST', `${page}/changes/discard`)
  expect((await draftsIn(page)).map(({ user }) => user.id)).toEqual([bert.id, anna.id, anna.id, anna.id])
  // Drafts are not versions: only published content is compared and counted.
  expect((await anna.done('GET', `${page}/history`)).data.at(-1)).toMatchObject({ kind: 'version', action: 'create' })

  await storage.moveClock(day)
  expect(await draftsIn(page)).toEqual([])
  await sweep(site.app)
  const { count } = await site.app.store.db
    .selectFrom('history')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('kind', '=', 'draft')
    .executeTakeFirstOrThrow()
  expect(count).toBe(0)
})

test('a conflict contains the overwritten values', async () => {
  const page = await newPage()
  await save(anna, page, '', { text: 'mine' })
  await storage.moveClock(11 * minute)
  await bert.done('PATCH', page, { text: 'theirs' })
  expect(await changesOf(page)).toMatchObject({
    conflicts: ['text'],
    base: { text: 'first' },
    content: { text: 'mine' },
  })
})

import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../test/harness.ts'
import { createImage, createUploader } from '../../test/files.ts'
import { addFile } from '../../test/media.ts'
import { addPage, createTokenClient } from '../../test/pages.ts'
import { eventsOf } from '../../test/sign-in.ts'
import { createSignedInUser } from '../../test/signed-in-user.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'site.yml': 'fields: { claim: { type: text } }',
  'pages/note.yml': 'options: { changeTemplate: [letter] }\nfields: { text: { type: text }, place: { type: text } }',
  'pages/letter.yml': 'fields: { text: { type: text } }',
  'files/photo.yml': 'fields: { alt: { type: text } }',
})
const site = await createTestApp({ storage })
const admin = await createTokenClient(site)
await admin.done('POST', 'languages', { code: 'en', name: 'English' })
await admin.done('POST', 'languages', { code: 'de', name: 'Deutsch' })

/** The events that the work has caused, with their detail. */
async function eventsDuring(work: () => Promise<unknown>) {
  const before = (await eventsOf(site)).length
  await work()
  const added = (await eventsOf(site)).slice(before)
  expect(added.map(({ actor_id }) => actor_id)).toEqual(added.map(() => admin.id))
  return added.map(({ event, subject_id, detail }) => [event, subject_id, JSON.parse(detail) as unknown])
}

const template = 'note'
const german = { 'x-language': 'de' }

test('every change of a page is recorded with its path and former path', async () => {
  await addPage(site, '', { slug: 'top', title: 'Top', status: 'listed' })
  const [created] = await eventsDuring(() => admin.done('POST', 'site/children', { slug: 'a', title: 'A', template }))
  const owner = created![1]
  expect(created).toEqual(['page.created', owner, { template, path: 'a', status: 'draft', revision: 1 }])

  const steps: [work: () => Promise<unknown>, ...events: [string, object][]][] = [
    [() => admin.done('PATCH', 'pages/a', { text: 'x', place: 'y' }), ['page.changed', { path: 'a', revision: 2, language: 'en', fields: ['text', 'place'] }]],
    [() => admin.done('PATCH', 'pages/a/status', { status: 'unlisted' }), ['page.status', { path: 'a', revision: 3, status: 'unlisted', oldStatus: 'draft' }]],
    [() => admin.done('PATCH', 'pages/a', { text: 'new' }), ['page.published', { path: 'a', revision: 4, language: 'en', fields: ['text'] }]],
    [() => admin.done('PATCH', 'pages/a', { text: 'new' })],
    [() => admin.done('PATCH', 'pages/a', { text: 'neu' }, german), ['page.published', { path: 'a', revision: 5, language: 'de', fields: ['text'] }]],
    [() => admin.done('PATCH', 'pages/a/title', { title: 'B' }), ['page.published', { path: 'a', revision: 6, language: 'en', fields: ['title'] }]],
    [() => admin.done('PATCH', 'pages/a/slug', { slug: 'b' }), ['page.slug', { path: 'b', oldPath: 'a', revision: 7 }]],
    [() => admin.done('PATCH', 'pages/b/slug', { slug: 'be' }, german), ['page.slug', { path: 'b', revision: 8, language: 'de' }]],
    [() => admin.done('PATCH', 'pages/b/move', { parent: 'top' }), ['page.moved', { path: 'top/b', oldPath: 'b', revision: 9 }]],
  ] // prettier-ignore
  const at = new Date(storage.clock() + 60_000).toISOString()
  const moved = { path: 'top/b' }
  steps.push(
    [() => admin.done('PATCH', 'pages/top+b/schedule', { status: 'listed', at }), ['page.changed', { ...moved, revision: 9, what: 'schedule', status: 'listed', due: Date.parse(at) }]],
    [() => admin.done('DELETE', 'pages/top+b/schedule'), ['page.changed', { ...moved, revision: 9, what: 'unschedule' }]],
    [() => admin.done('PATCH', 'pages/top+b/status', { status: 'listed' }), ['page.status', { ...moved, revision: 10, status: 'listed', oldStatus: 'unlisted' }]],
  ) // prettier-ignore
  for (const [work, ...events] of steps)
    expect(await eventsDuring(work)).toEqual(events.map(([event, detail]) => [event, owner, { template, ...detail }]))

  const copied = await eventsDuring(() => admin.done('POST', 'pages/top+b/duplicate', { slug: 'c' }))
  expect(copied).toEqual([
    [
      'page.created',
      expect.stringMatching(/^page:/) as string,
      { template, path: 'top/c', status: 'draft', revision: 1, pages: 1 },
    ],
  ])
  const { revision } = (await admin.done('GET', 'pages/top+b?select=revision')).data as { revision: number }
  const deleted = await eventsDuring(() => admin.done('DELETE', 'pages/top+b'))
  expect(deleted).toEqual([['page.deleted', owner, { template, path: 'top/b', revision, pages: 1 }]])
  const { data } = await admin.done('GET', 'site/trash')
  const [{ id }] = data as [{ id: string }]
  const restored = await eventsDuring(() => admin.done('POST', `site/trash/${id}/restore`, { parent: null, slug: 'd' }))
  expect(restored).toEqual([['page.restored', owner, { template, path: 'd', oldPath: 'top/b', revision, pages: 1 }]])
  expect((await admin.done('GET', 'pages/d?select=revision')).data).toEqual({ revision })
})

test('every change of a file is recorded', async () => {
  const page = await addPage(site, '', { slug: 'album', title: 'Album' })
  const { uuid } = await addFile(site, `page://${page}`, 'one.png', Buffer.from('x'), {
    mime: 'image/png',
    type: 'image',
    template: 'photo',
  })
  const detail = { parent: `page://${page}`, template: 'photo' }
  const sender = await createUploader(await createSignedInUser(site))
  const steps: [work: () => Promise<unknown>, string, object][] = [
    [() => admin.done('PATCH', 'pages/album/files/one.png', { alt: 'A hen' }), 'file.changed', { path: 'one.png', revision: 2, language: 'en', fields: ['alt'] }],
    [() => admin.done('PATCH', 'pages/album/files/one.png/name', { name: 'two' }), 'file.renamed', { path: 'two.png', oldPath: 'one.png', revision: 3 }],
  ] // prettier-ignore
  for (const [work, event, more] of steps)
    expect(await eventsDuring(work)).toEqual([[event, `file://${uuid}`, { ...detail, ...more }]])
  await sender.send('pages/album/files/two.png', [{ filename: 'x.png', bytes: await createImage() }])
  const { data: replaced } = await admin.done('GET', 'site/events?event=file.replaced')
  expect(replaced).toMatchObject([{ uuid: `file://${uuid}`, detail: { ...detail, path: 'two.png', revision: 4 } }])
  expect(await eventsDuring(() => admin.done('DELETE', 'pages/album/files/two.png'))).toEqual([
    ['file.deleted', `file://${uuid}`, { ...detail, path: 'two.png', revision: 4 }],
  ])
})

test('changes of the site and of accounts name the fields, too', async () => {
  expect(await eventsDuring(() => admin.done('PATCH', 'site', { claim: 'Ink' }))).toEqual([
    ['site.changed', 'site://', { revision: expect.any(Number) as number, language: 'en', fields: ['claim'] }],
  ])
  expect(await eventsDuring(() => admin.done('PATCH', `users/${admin.id}`, { motto: 'Ink' }))).toEqual([
    ['user.changed', admin.id, { what: 'content', role: 'admin', revision: 2, language: 'en', fields: ['motto'] }],
  ])
})

test('sorting and changing the template are recorded as `page.changed`', async () => {
  const firstPage = await addPage(site, '', { slug: 'one', template, title: 'One', status: 'listed' })
  const { data } = await admin.done('GET', 'pages/one?select=num')
  expect(data).not.toEqual({ num: 1 })
  const [sorted] = await eventsDuring(() => admin.done('PATCH', 'pages/one/status', { status: 'listed', position: 1 }))
  expect(sorted).toEqual(['page.changed', `page://${firstPage}`, { template, path: 'one', revision: 3, what: 'sort' }])
  const [changed] = await eventsDuring(() => admin.done('PATCH', 'pages/one/template', { template: 'letter' }))
  const detail = { template: 'letter', oldTemplate: template, path: 'one', revision: 4, what: 'template' }
  expect(changed).toEqual(['page.changed', `page://${firstPage}`, detail])
})

test('a change that fails leaves no event', async () => {
  await addPage(site, '', { slug: 'taken', title: 'Taken' })
  await addPage(site, '', { slug: 'unchanged', title: 'Unchanged' })
  const events = await eventsDuring(async () => {
    expect(await admin.call('PATCH', 'pages/unchanged/slug', { slug: 'taken' })).toMatchObject({ status: 400 })
    expect(await admin.call('PATCH', 'pages/unchanged', { text: 'x' }, { 'if-match': '"99"' })).toMatchObject({
      status: 412,
    })
  })
  expect(events).toEqual([])
})

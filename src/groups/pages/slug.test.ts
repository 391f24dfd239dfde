import { expect, test } from 'vitest'
import { createTestStorage, createTestApp } from '../../../test/harness.ts'
import { describeRole } from '../../../test/signed-in-user.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'

const storage = await createTestStorage()
describeRole(storage, 'reader', 'permissions: { pages: { changeSlug: false } }')
const site = await createTestApp({ storage })
const admin = await createTokenClient(site)
const reader = await createTokenClient(site, { role: 'reader' })

test('the id changes with the slug, and so do those of all descendants', async () => {
  const firstPage = await addPage(site, '', { slug: 'öne', status: 'listed' })
  const secondPage = await addPage(site, firstPage, { slug: 'two', title: 'Two' })
  await addPage(site, secondPage, { slug: 'three' })
  const { data, headers } = await admin.done('PATCH', 'pages/one/slug', { slug: ' Eíns ' })
  expect(data).toMatchObject({ id: 'eins', slug: 'eins', num: 1, status: 'listed', uuid: `page://${firstPage}` })
  expect(headers['etag']).toBe('"3"')
  expect((await admin.done('GET', 'pages/eins+two+three?select=id,slug,parent')).data).toMatchObject({
    id: 'eins/two/three',
    slug: 'three',
    parent: { id: 'eins/two' },
  })
  expect(await admin.call('GET', 'pages/one+two')).toMatchObject({ status: 404 })
  expect((await admin.done('PATCH', 'pages/eins/slug', { slug: 'eins' })).headers['etag']).toBe('"3"')
  await admin.done('PATCH', 'pages/eins/slug', { slug: '一' })
  expect((await admin.done('GET', `pages/${encodeURIComponent('一')}+two+three?select=id`)).data.id).toBe(
    '一/two/three',
  )
  await admin.done('PATCH', `pages/@${firstPage}/slug`, { slug: 'abcd' })
  expect((await admin.done('GET', `pages/abcd+two+three?select=id`)).data.id).toBe('abcd/two/three')
})

test('siblings keep their ids', async () => {
  await addPage(site, '', { slug: 'near' })
  const close = await addPage(site, '', { slug: 'near-by' })
  await addPage(site, close, { slug: 'x' })
  await admin.done('PATCH', 'pages/near/slug', { slug: 'far' })
  expect((await admin.done('GET', 'pages/near-by+x?select=id')).data.id).toBe('near-by/x')
})

test.each([
  [{ slug: '' }, 'error.page.slug.invalid'],
  [{ slug: '/../' }, 'error.page.slug.invalid'],
  [{ slug: 'panel' }, 'error.page.changeSlug.reserved'],
  [{ slug: 'a-draft' }, 'error.page.draft.duplicate'],
  [{ slug: 'a-page' }, 'error.page.duplicate'],
  [{}, 'error.validation'],
  [{ slug: 5 }, 'error.validation'],
])('%j is refused with %s', async (body, key) => {
  for (const slug of ['subject', 'a-draft', 'a-page'])
    await addPage(site, '', { slug, draft: slug !== 'a-page' }).catch(() => {})
  expect(await admin.call('PATCH', 'pages/subject/slug', body)).toMatchObject({ status: 400, key })
})

test('a tree cannot become too deep', async () => {
  const top = await addPage(site, '', { slug: 'deep' })
  let parent = top
  for (let depth = 0; depth < 7; depth++) parent = await addPage(site, parent, { slug: 'd'.repeat(128) })
  expect(await admin.call('PATCH', 'pages/deep/slug', { slug: 'e'.repeat(120) })).toMatchObject({
    status: 400,
    key: 'error.page.slug.maxlength',
  })
})

test('changing a slug requires a permission', async () => {
  await addPage(site, '', { slug: 'fast' })
  expect(await reader.call('PATCH', 'pages/fast/slug', { slug: 'x' })).toMatchObject({
    status: 403,
    key: 'error.page.changeSlug.permission',
  })
})

test('in another language only the URL changes, and slugs of siblings are unique', async () => {
  await admin.done('POST', 'languages', { code: 'en' })
  await admin.done('POST', 'languages', { code: 'de' })
  const { data: german } = await admin.done('GET', 'languages/de')
  const hut = await addPage(site, '', { slug: 'hut', draft: false })
  await addPage(site, hut, { slug: 'room', draft: false })
  await addPage(site, '', { slug: 'barn', draft: false })
  const { data } = await admin.done('PATCH', 'pages/hut/slug?language=de', { slug: 'Hütte' })
  expect(data).toMatchObject({ id: 'hut', slug: 'huette', url: `${german.url.replace(/\/$/, '')}/huette` })
  expect((await admin.done('GET', 'pages/huette+room?language=de&select=id')).data.id).toBe('hut/room')
  expect(await admin.call('GET', 'pages/huette')).toMatchObject({ status: 404 })
  for (const slug of ['huette', 'hut'])
    expect(await admin.call('PATCH', 'pages/barn/slug?language=de', { slug })).toMatchObject({
      key: 'error.page.duplicate',
    })
  expect(await admin.call('PATCH', 'pages/barn/slug', { slug: 'huette' })).toMatchObject({
    key: 'error.page.duplicate',
  })
  await expect(addPage(site, '', { slug: 'huette' })).rejects.toMatchObject({ key: 'page.duplicate' })
  expect((await admin.done('PATCH', 'pages/hut/slug?language=de', { slug: 'hut' })).data.slug).toBe('hut')
  expect(await admin.call('PATCH', 'pages/hut/slug?language=xx', { slug: 'x' })).toMatchObject({ status: 400 })
})

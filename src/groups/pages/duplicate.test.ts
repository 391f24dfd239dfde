import { expect, test } from 'vitest'
import { createTestApp, createTestStorage } from '../../../test/harness.ts'
import { describeRole } from '../../../test/signed-in-user.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'

const storage = await createTestStorage()
describeRole(storage, 'withoutDuplicate', 'permissions: { pages: { duplicate: false } }')
const site = await createTestApp({ storage })
const admin = await createTokenClient(site)
const withoutDuplicate = await createTokenClient(site, { role: 'withoutDuplicate' })
const original = await addPage(site, '', {
  slug: 'original',
  title: 'Original',
  content: { text: 'x' },
  status: 'listed',
})
const child = await addPage(site, original, { slug: 'child', title: 'Child', status: 'listed' })
await addPage(site, child, { slug: 'deep', content: { see: `page://${child} and page://elsewhere` } })

test('a copy is a draft beside the page, without its children', async () => {
  const { data, headers } = await admin.done('POST', 'pages/original/duplicate', { slug: 'The copy' })
  expect(data).toMatchObject({
    id: 'the-copy',
    status: 'draft',
    num: null,
    title: 'Original',
    content: { text: 'x', title: 'Original' },
  })
  expect(data.uuid).not.toBe(`page://${original}`)
  expect(headers['etag']).toBe('"1"')
  expect((await admin.done('GET', 'pages/the-copy/children?status=all')).data).toEqual([])
})

test('without a slug the copy gets a free one', async () => {
  expect((await admin.done('POST', 'pages/original/duplicate')).data.slug).toBe('original-copy')
  expect((await admin.done('POST', 'pages/original/duplicate', {})).data.slug).toBe('original-copy-2')
  expect((await admin.done('POST', 'pages/original/duplicate', { title: ' Other ' })).data).toMatchObject({
    slug: 'original-copy-3',
    title: 'Other',
  })
})

test('with children all of them are copied, and references among them point to the copies', async () => {
  await admin.done('POST', 'pages/original/duplicate', { slug: 'whole', children: true })
  const { data } = await admin.done('GET', 'pages/whole+child?select=uuid,status,num,title')
  expect(data).toMatchObject({ status: 'listed', num: 1, title: 'Child' })
  expect(data.uuid).not.toBe(`page://${child}`)
  expect((await admin.done('GET', 'pages/whole+child+deep?select=content')).data.content.see).toBe(
    `${data.uuid} and page://elsewhere`,
  )
  expect((await admin.done('GET', 'pages/original+child+deep?select=content')).data.content.see).toBe(
    `page://${child} and page://elsewhere`,
  )
})

const total = async () => (await site.app.store.db.selectFrom('pages').select('uuid').execute()).length

test('an impossible copy is refused, and leaves nothing', async () => {
  const before = await total()
  for (const [body, key] of [
    [{ slug: 'original', children: true }, 'error.page.duplicate'],
    [{ slug: '' }, 'error.page.slug.invalid'],
    [{ slug: 'api' }, 'error.page.changeSlug.reserved'],
    [{ title: ' ' }, 'error.page.changeTitle.empty'],
    [{ children: 'yes' }, 'error.validation'],
  ] as const)
    expect(await admin.call('POST', 'pages/original/duplicate', body)).toMatchObject({ status: 400, key })
  expect(await withoutDuplicate.call('POST', 'pages/original/duplicate', { slug: 'z' })).toMatchObject({
    status: 403,
    key: 'error.page.duplicate.permission',
  })
  expect(await total()).toBe(before)
})

import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { describeRole } from '../../../test/signed-in-user.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, { 'pages/kept.yml': 'options: { delete: false }' })
describeRole(storage, 'reader', 'permissions: { pages: { delete: false } }')
const site = await createTestApp({ storage })
const { db } = site.app.store
const admin = await createTokenClient(site)
const reader = await createTokenClient(site, { role: 'reader' })

/** Every row that contains one of these uuids. */
async function traces(uuids: string[]) {
  const owners = uuids.map(uuid => `page://${uuid}`)
  const found = await Promise.all([
    db.selectFrom('pages').select('uuid').where('uuid', 'in', uuids).execute(),
    db.selectFrom('contents').select('owner').where('owner', 'in', owners).execute(),
    db.selectFrom('history').select('owner').where('owner', 'in', owners).execute(),
    db.selectFrom('files').select('uuid').where('parent', 'in', owners).execute(),
    db.selectFrom('page_counts').select('parent').where('parent', 'in', uuids).execute(),
  ])
  return found.flat().length
}

async function tree(top: string, templates: string[] = []) {
  const root = await addPage(site, '', { slug: top, draft: false })
  const child = await addPage(site, root, { slug: 'child', draft: false })
  const draft = await addPage(site, root, { slug: 'draft' })
  const deep = await addPage(site, child, { slug: 'deep', template: templates[0] })
  return [root, child, draft, deep]
}

test('a page is deleted with its content and history', async () => {
  const uuid = await addPage(site, '', { slug: 'alone', title: 'Alone' })
  expect(await admin.done('DELETE', 'pages/alone')).toMatchObject({ code: 200 })
  expect(await traces([uuid])).toBe(0)
  expect(await admin.call('GET', 'pages/alone')).toMatchObject({ status: 404 })
  expect(await admin.call('DELETE', 'pages/alone')).toMatchObject({ status: 404 })
})

test('a page with children is deleted only with force, and then with all of them', async () => {
  const uuids = await tree('forced')
  expect(await admin.call('DELETE', 'pages/forced')).toMatchObject({
    status: 400,
    key: 'error.page.delete.hasChildren',
  })
  expect(await admin.call('DELETE', 'pages/forced', { force: 'yes' })).toMatchObject({ status: 400 })
  await admin.done('DELETE', 'pages/forced', { force: true })
  expect(await traces(uuids)).toBe(0)
})

test('one undeletable page keeps the whole subtree', async () => {
  const uuids = await tree('partly', ['kept'])
  const before = await traces(uuids)
  expect(await admin.call('DELETE', 'pages/partly', { force: true })).toMatchObject({
    status: 403,
    key: 'error.page.delete.permission',
  })
  expect(await traces(uuids)).toBe(before)
})

test('a page whose path has the same prefix stays', async () => {
  await tree('pre')
  const otherPage = await addPage(site, '', { slug: 'pre-fix' })
  const below = await addPage(site, otherPage, { slug: 'x' })
  await admin.done('DELETE', 'pages/pre', { force: true })
  expect(await traces([otherPage, below])).toBeGreaterThan(2)
})

test('deleting requires a permission', async () => {
  await tree('safe')
  expect(await reader.call('DELETE', 'pages/safe', { force: true })).toMatchObject({
    status: 403,
    key: 'error.page.delete.permission',
  })
})

test('more than a thousand pages can be deleted at once', async () => {
  const root = await addPage(site, '', { slug: 'many' })
  const rows = Array.from({ length: 1100 }, (_, index) => ({
    uuid: `many${index}`,
    parent: root,
    path: `many/p${index}`,
    slug: `p${index}`,
    status: 'unlisted' as const,
    num: null,
    template: 'default',
    revision: 1,
    created_at: 0,
    modified_at: 0,
  }))
  for (let start = 0; start < rows.length; start += 100)
    await db
      .insertInto('pages')
      .values(rows.slice(start, start + 100))
      .execute()
  await admin.done('PATCH', 'pages/many/slug', { slug: 'lots' })
  expect((await admin.done('GET', 'pages/lots+p1099?select=id')).data.id).toBe('lots/p1099')
  await admin.done('DELETE', 'pages/lots', { force: true })
  expect(await db.selectFrom('pages').select('uuid').where('parent', '=', root).execute()).toEqual([])
})

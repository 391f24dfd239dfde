import { expect, test } from 'vitest'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { describeRole, createSignedInUser } from '../../../test/signed-in-user.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/shown.yml': 'options: { access: { guest: true }, read: { guest: true }, list: { guest: true } }',
  'pages/unlisted.yml': 'options: { list: { writer: false } }',
})
describeRole(storage, 'guest', 'permissions: { pages: false }')
describeRole(storage, 'writer', 'title: Writer')
const site = await createTestApp({ storage })
const [admin, guest, writer] = [
  await createTokenClient(site),
  await createTokenClient(site, { role: 'guest' }),
  await createTokenClient(site, { role: 'writer' }),
]
const top = await addPage(site, '', { slug: 'top', template: 'shown', draft: false })
await addPage(site, top, { slug: 'plain', title: 'Plain words', draft: false })
await addPage(site, top, { slug: 'shown', template: 'shown', title: 'Shown words', draft: false })
await addPage(site, top, { slug: 'unlisted', template: 'unlisted', title: 'Unlisted words', draft: false })

const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)

test('invisible pages are in no list and no total of a role', async () => {
  for (const path of ['', '/children', '/blueprint', '/children/search?q=words'])
    expect([path, (await guest.call('GET', `pages/top+plain${path}`)).status]).toEqual([path, 404])
  for (const [path, body] of [
    ['', {}],
    ['/title', { title: 'x' }],
    ['/slug', { slug: 'x' }],
    ['/status', { status: 'draft' }],
    ['/template', { template: 'x' }],
    ['/move', { parent: null }],
  ] as const)
    expect([path, (await guest.call('PATCH', `pages/top+plain${path}`, body)).status]).toEqual([path, 404])
  expect((await guest.call('DELETE', 'pages/top+plain')).status).toBe(404)
  const list = await guest.done('GET', 'pages/top/children')
  expect([ids(list), list.pagination.total]).toEqual([['top/shown'], 1])
  const found = await guest.done('GET', 'pages/top/children/search?q=words')
  expect([ids(found), found.pagination.total]).toEqual([['top/shown'], 1])
  const searched = await guest.done('POST', 'pages/top/children/search', { search: 'words' })
  expect([ids(searched), searched.pagination.total]).toEqual([['top/shown'], 1])
  const { data } = await guest.done('GET', 'pages/top?select=children,siblings,options')
  expect(ids({ data: data.children })).toEqual(['top/shown'])
  expect(data.options).toMatchObject({ access: true, update: false, delete: false })
})

test('a visible page without write permission cannot be changed', async () => {
  expect(await guest.call('PATCH', 'pages/top', {})).toMatchObject({ status: 403, key: 'error.page.update.permission' })
  expect(await guest.call('POST', 'pages/top/children', { slug: 'x' })).toMatchObject({
    status: 403,
    key: 'error.page.create.permission',
  })
})

test('an unlistable page is in no list, but can be read by its id', async () => {
  expect(ids(await writer.done('GET', 'pages/top/children'))).not.toContain('top/unlisted')
  const { data } = await writer.done('GET', 'pages/top?select=children')
  expect(ids({ data: data.children })).toEqual(['top/plain', 'top/shown'])
  expect((await writer.done('GET', 'pages/top+unlisted')).data.options.list).toBe(false)
})

test('a token sees the pages that its scopes let it change, and nothing else', async () => {
  const token = await createTokenClient(site, { scopes: ['pages.update', 'pages.publish'] })
  expect((await token.done('PATCH', 'pages/top+plain', { text: 'x' })).data.content.text).toBe('x')
  expect((await token.done('GET', 'pages/top+plain')).data.options).toMatchObject({ update: true, delete: false })
  expect(await token.call('DELETE', 'pages/top+plain')).toMatchObject({ status: 403 })
  const otherClient = await createTokenClient(site, { scopes: ['users.update'] })
  expect(await otherClient.call('GET', 'pages/top+plain')).toMatchObject({ status: 404 })
})

test('a session sees the pages that its role may see', async () => {
  const signedIn = await createSignedInUser(site, { role: 'writer' })
  const { options } = await signedIn.browser.client.pages.get({ id: 'top+plain' })
  expect(options).toMatchObject({ update: true, changeTemplate: false, sort: false })
  expect((await admin.done('GET', 'pages/top+plain')).data.options).toEqual(options)
})

import { expect, test } from 'vitest'
import { multipartBody, multipartContentType, createImage } from '../../../../test/files.ts'
import { createTestApp, createTestStorage, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../../test/pages.ts'
import { describeRole } from '../../../../test/signed-in-user.ts'
import { addToken } from '../../../../test/tokens.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/default.yml': 'fields: { text: { type: text } }',
  'site.yml': 'fields: { text: { type: text } }',
  'files/default.yml': 'fields: { alt: { type: text } }',
  'pages/secret.yml': 'options: { preview: { writer: false } }',
})
describeRole(storage, 'writer', 'title: Writer')
const settings = { auth: { throttle: false }, site: { url: 'https://www.example.org' } }
const site = await createTestApp({ storage, settings })
const admin = await createTokenClient(site)
const host = new URL(site.app.config.url).host

const shop = await addPage(site, '', { slug: 'shop', title: 'Shop', status: 'listed' })
const page = async (slug: string, status?: 'listed' | 'unlisted', parent = shop) => {
  const uuid = await addPage(site, parent, { slug, title: slug, ...(status && { status }) })
  return { uuid: `page://${uuid}`, path: `@${uuid}`, id: uuid }
}
const changed = await page('changed', 'listed')
const apart = await page('apart', 'listed')
const fresh = await page('fresh')
const below = await page('below', 'listed', fresh.id)
const hidden = await page('hidden', 'listed')
const gone = await page('gone', 'listed')
const inGone = await page('in-gone', 'listed', gone.id)
const draft = await page('draft')
for (const one of [changed, apart, fresh, draft])
  await admin.done('POST', `pages/${one.path}/changes/save`, { text: 'New' })
const { data: release } = await admin.done('POST', 'site/releases', {
  name: 'Spring',
  add: [
    { uuid: changed.uuid },
    { uuid: fresh.uuid, status: 'listed' },
    { uuid: hidden.uuid, status: 'unlisted' },
    { uuid: gone.uuid, action: 'delete' },
  ],
})

async function passOf(id = release.id as string): Promise<string> {
  return (await admin.done('POST', `site/releases/${id}/preview`)).data.token as string
}

interface Reader {
  get: (path: string) => ReturnType<typeof site.request>
  text: (path: string) => Promise<string>
  children: (path: string) => Promise<string[]>
}

function readerWith(token: string): Reader {
  const get = async (path: string) =>
    site.request({
      method: 'GET',
      url: `/api/${path}`,
      headers: { host, authorization: `Bearer ${token}` },
    })
  return {
    get,
    text: async path => {
      const answer = await get(`pages/${path}?select=content&version=changes`)
      const { data } = answer.json<{ data?: { content: { text?: string } } }>()
      return data ? (data.content.text ?? '') : String(answer.statusCode)
    },
    children: async path => {
      const answer = await get(`pages/${path}/children?select=slug&version=changes`)
      return answer.json<{ data: { slug: string }[] }>().data.map(({ slug }) => slug)
    },
  }
}

test('the pass of a release shows the site as if it were published, and nothing else that is not', async () => {
  const reader = readerWith(await passOf())
  expect(await Promise.all([changed, fresh, hidden].map(({ path }) => reader.text(path)))).toEqual(['New', 'New', ''])
  expect(await Promise.all([apart, below].map(({ path }) => reader.text(path)))).toEqual(['', ''])
  expect(await Promise.all([gone, inGone, draft].map(({ path }) => reader.text(path)))).toEqual(['404', '404', '404'])
  expect(await reader.children('shop')).toEqual(['changed', 'apart', 'fresh'])
})

test('the links of a page show its children as the release leaves them', async () => {
  const answer = await site.request({
    method: 'GET',
    url: '/api/pages/shop?select=children&version=changes',
    headers: { host, authorization: `Bearer ${await passOf()}` },
  })
  const { data } = answer.json<{ data: { children: { title: string }[] } }>()
  expect(data.children.map(({ title }) => title)).toEqual(['changed', 'apart', 'fresh'])
})

test('searches, filters and neighbours show what the release leaves', async () => {
  const reader = readerWith(await passOf())
  const slugs = async (path: string) => {
    const answer = await reader.get(`${path}&select=slug&version=changes`)
    return answer.json<{ data: { slug: string }[] }>().data.map(({ slug }) => slug)
  }
  // Only drafts have the word; those of other pages are not shown.
  expect(await slugs('site/search?q=new')).toEqual(['changed', 'fresh'])
  expect(await slugs('pages/shop/children/search?q=new')).toEqual(['changed', 'fresh'])
  for (const word of ['gone', 'in-gone', 'hidden', 'draft']) expect(await slugs(`site/search?q=${word}`)).toEqual([])
  expect(await slugs('site/search?q=below')).toEqual(['below'])
  const next = async (slug: string) => {
    const answer = await reader.get(`pages/shop+${slug}?select=next,hasChildren&version=changes`)
    return answer.json<{ data: { next: { title: string } | null; hasChildren: boolean } }>().data
  }
  expect(await next('apart')).toMatchObject({ next: { id: 'shop/fresh', title: 'fresh' }, hasChildren: false })
  expect(await next('fresh')).toMatchObject({ next: null, hasChildren: true })
  const answer = await site.request({
    method: 'POST',
    url: '/api/pages/shop/children/search?select=slug&version=changes',
    headers: { host, authorization: `Bearer ${await passOf()}` },
    payload: { filterBy: [{ field: 'text', operator: '==', value: 'New' }] },
  })
  expect(answer.json<{ data: { slug: string }[] }>().data.map(({ slug }) => slug)).toEqual(['changed', 'fresh'])
})

/** Of the site, a file of it, and a file of the shop. */
async function seenBy(pass: string) {
  const reader = readerWith(pass)
  const read = async (path: string) => (await reader.get(`${path}version=changes`)).json<{ data: Content }>().data
  interface Content {
    content: { text?: string; alt?: string }
    files: object[]
  }
  const { statusCode } = await reader.get('pages/shop/files/old.png?version=changes')
  return [
    (await read('site?select=content&')).content.text,
    (await read('site/files/logo.png?select=content&')).content.alt,
    (await read('pages/shop?select=files&')).files.length,
    statusCode,
  ]
}

test('the content of the site and of its files is shown as the release leaves it, and deleted files are not', async () => {
  const { token } = await addToken(site.app, { userId: admin.id, name: 'upload', scopes: ['*'] })
  const upload = async (path: string, filename: string) => {
    const answer = await site.request({
      method: 'POST',
      url: `/api/${path}/files?select=uuid`,
      headers: { host, 'content-type': multipartContentType, authorization: `Bearer ${token}` },
      payload: multipartBody([{ filename, bytes: await createImage('png', { width: 2, height: 2 }) }]),
    })
    return answer.json<{ data: { uuid: string } }>().data.uuid
  }
  await upload('site', 'logo.png')
  const old = await upload('pages/shop', 'old.png')
  await admin.done('POST', 'site/changes/save', { text: 'New' })
  await admin.done('POST', 'site/files/logo.png/changes/save', { alt: 'Logo' })
  const { data } = await admin.done('POST', 'site/releases', {
    name: 'Site',
    add: [{ uuid: 'site://' }, { uuid: old, action: 'delete' }],
  })
  expect(data.items).toMatchObject([{ uuid: 'site://', link: '/site', drafts: 2 }, { action: 'delete' }])
  expect(await seenBy(await passOf())).toEqual(['', '', 1, 200])
  expect(await seenBy(await passOf(data.id as string))).toEqual(['New', 'Logo', 0, 404])
})

test('the token is for reading only, and needs the permission to preview every template', async () => {
  const token = await passOf()
  const answer = await site.request({
    method: 'POST',
    url: `/api/site/releases/${release.id}/publish`,
    headers: { host, authorization: `Bearer ${token}` },
  })
  expect(answer.statusCode).toBe(401)
  const writer = await createTokenClient(site, { role: 'writer' })
  // Nor does the refusal say whether there is such a release.
  for (const id of [release.id, 'unknown'])
    expect((await writer.call('POST', `site/releases/${id}/preview`)).key).toBe('error.site.preview.permission')
})

test('after its publication or deletion the pass shows what is published', async () => {
  const { data } = await admin.done('POST', 'site/releases', { name: 'Apart', add: [{ uuid: apart.uuid }] })
  const reader = readerWith(await passOf(data.id as string))
  expect(await reader.text(apart.path)).toBe('New')
  await admin.done('DELETE', `site/releases/${data.id}`)
  expect(await reader.text(apart.path)).toBe('')
})

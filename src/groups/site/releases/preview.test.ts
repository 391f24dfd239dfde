import { expect, test } from 'vitest'
import { createTestApp, createTestStorage, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../../test/pages.ts'
import { describeRole } from '../../../../test/signed-in-user.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/default.yml': 'fields: { text: { type: text } }',
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

test('the token is for reading only, and needs the permission to preview every template', async () => {
  const token = await passOf()
  const answer = await site.request({
    method: 'POST',
    url: `/api/site/releases/${release.id}/publish`,
    headers: { host, authorization: `Bearer ${token}` },
  })
  expect(answer.statusCode).toBe(401)
  const writer = await createTokenClient(site, { role: 'writer' })
  expect((await writer.call('POST', `site/releases/${release.id}/preview`)).key).toBe('error.site.preview.permission')
})

test('after its publication or deletion the pass shows what is published', async () => {
  const { data } = await admin.done('POST', 'site/releases', { name: 'Apart', add: [{ uuid: apart.uuid }] })
  const reader = readerWith(await passOf(data.id as string))
  expect(await reader.text(apart.path)).toBe('New')
  await admin.done('DELETE', `site/releases/${data.id}`)
  expect(await reader.text(apart.path)).toBe('')
})

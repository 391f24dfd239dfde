import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { dataOf, createImage, createUploader } from '../../../test/files.ts'
import { createTestStorage, createTestApp, writeBlueprints } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { createSignedInUser } from '../../../test/signed-in-user.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/default.yml': 'fields: { text: { type: text }, note: { type: text, private: true } }',
  'pages/report.yml':
    'options: { preview: "https://reports.example.org/{{ page.slug }}?from=cms", read: { author: false } }',
  'pages/broken.yml': 'options: { preview: "/{{ page.slug }}" }',
  'pages/hidden.yml': 'options: { preview: { editor: false } }',
  'pages/part.yml': 'options: { preview: false }',
  'users/editor.yml': 'permissions: true',
  'users/author.yml': 'permissions: true',
})
const site = await createTestApp({ storage, settings: { site: { url: 'https://www.example.org/' } } })
const admin = await createTokenClient(site)
await addPage(site, '', { slug: 'home', draft: false })
await addPage(site, '', { slug: 'notes', draft: false })

const get = async (path: string) => (await admin.done('GET', path)).data

test('addresses of the site and its pages begin with `site.url`', async () => {
  expect(await get('pages/notes?select=url,previewUrl')).toEqual({
    url: 'https://www.example.org/notes',
    previewUrl: 'https://www.example.org/notes',
  })
  expect(await get('pages/home?select=url')).toEqual({ url: 'https://www.example.org' })
  expect(await get('site?select=url,previewUrl')).toEqual({
    url: 'https://www.example.org',
    previewUrl: 'https://www.example.org',
  })
  expect(await get('system?select=siteUrl')).toEqual({ siteUrl: 'https://www.example.org' })
})

test('a language with an address of its own uses that', async () => {
  await admin.done('POST', 'languages', { code: 'en', name: 'English', default: true })
  await admin.done('POST', 'languages', { code: 'de', name: 'Deutsch', url: 'https://www.example.de' })
  const urlIn = async (code: string) => (await admin.done('GET', `pages/notes?select=url&language=${code}`)).data.url
  expect(await urlIn('en')).toBe('https://www.example.org/en/notes')
  expect(await urlIn('de')).toBe('https://www.example.de/notes')
})

// ---- passes

const draft = await addPage(site, '', { slug: 'plans', title: 'Plans', content: { text: 'secret plans' } })
await admin.done('POST', 'pages/notes/changes/save', { text: 'new words', note: 'for us' })

interface ApiResponse {
  status: number
  data: Record<string, unknown>
}
async function readWith(token: string, path: string): Promise<ApiResponse> {
  const headers = { host: new URL(site.app.config.url).host, authorization: `Bearer ${token}` }
  const answer = await site.request({ url: `/api/${path}`, headers })
  expect(answer.headers['cache-control']).toBe('no-store')
  return { status: answer.statusCode, data: answer.json<ApiResponse>().data }
}
const createPreviewPass = async (path: string, body: object = {}) =>
  (await admin.done('POST', `${path}/preview`, body)).data as { token: string; url: string; expires: string }

const payloadOf = (token: string) =>
  JSON.parse(Buffer.from(token.slice('quoin-preview_'.length).split('.')[0]!, 'base64url').toString()) as unknown[]

test('a pass shows a draft with its unpublished changes, in its language, and is refused elsewhere', async () => {
  const { token, url, expires } = await createPreviewPass('pages/plans')
  expect(url).toBe(`https://www.example.org/en/plans?preview=${token}`)
  const [, , createdAt, expiresAt] = payloadOf(token) as number[]
  expect([Date.parse(expires), expiresAt! - createdAt!]).toEqual([expiresAt, 8 * 3_600_000])
  const { status, data } = await readWith(token, 'pages/plans?version=changes')
  expect({ status, data }).toMatchObject({ status: 200, data: { title: 'Plans', editable: `page://${draft}` } })
  for (const path of ['pages/notes?version=changes', 'users', 'roles', 'site/search?q=plans', 'site/children'])
    expect([path, (await readWith(token, path)).status]).toEqual([path, 401])
  for (const path of ['pages/plans/history', 'pages/plans/changes'])
    expect([path, (await readWith(token, path)).status]).toEqual([path, 401])
  expect((await readWith(token, 'pages/plans?language=de')).status).toBe(401)
})

test('the pass of a page shows neither other drafts nor the changes of other pages', async () => {
  const { token } = await createPreviewPass('pages/notes')
  await addPage(site, '', { slug: 'rumours', title: 'Rumours', content: { text: 'other draft' } })
  await addPage(site, '', { slug: 'news', title: 'News', content: { text: 'printed' }, status: 'listed' })
  await admin.done('POST', 'pages/news/changes/save', { text: 'unprinted' })
  const { data } = await readWith(
    token,
    'pages/notes?version=changes&select[]=content&select[siblings][]=id&select[siblings][]=content',
  )
  expect(data['content']).toMatchObject({ text: 'new words' })
  expect(data['siblings']).toMatchObject([{ id: 'news', content: { text: 'printed' } }])
  expect(JSON.stringify(data)).not.toMatch(/other draft|unprinted/)
})

const idsOf = (pages: unknown) => (pages as { id: string }[]).map(({ id }) => id)

test('below a draft, the pass of a page shows neither siblings nor ancestors', async () => {
  const launch = await addPage(site, '', { slug: 'launch' })
  const day = await addPage(site, launch, { slug: 'day', status: 'listed' })
  for (const slug of ['a', 'b', 'c']) await addPage(site, day, { slug, status: 'listed' })
  const b = await get('pages/launch+day+b?select=uuid')
  await addPage(site, (b.uuid as string).slice('page://'.length), { slug: 'more', status: 'listed' })
  const select = ['siblings', 'parent', 'parents', 'prev', 'next', 'children']
  const readShown = async (path: string) => {
    const { token } = await createPreviewPass(path)
    return (await readWith(token, `${path}?version=changes&select=${select.join(',')}`)).data
  }
  const { siblings, children, ...rest } = await readShown('pages/launch+day+b')
  expect([idsOf(siblings), idsOf(children)]).toEqual([['launch/day/b'], ['launch/day/b/more']])
  expect(rest).toMatchObject({ parent: null, parents: [], prev: null, next: null })
  expect(idsOf((await readShown('pages/launch'))['children'])).toEqual(['launch/day'])
})

test('the pass of a page does not tell which other pages exist', async () => {
  const { token } = await createPreviewPass('pages/notes')
  await addPage(site, '', { slug: 'secret-launch' })
  const headers = { host: new URL(site.app.config.url).host, authorization: `Bearer ${token}` }
  const fetchRaw = async (path: string) => {
    const { statusCode, body } = await site.request({ url: `/api/${path}`, headers })
    return { statusCode, body }
  }
  for (const path of ['pages/', 'pages/@', 'site/resolve?path=/en/', 'site/resolve?version=changes&path=/en/']) {
    const real = path.endsWith('@') ? draft : 'secret-launch'
    const answers = await Promise.all([fetchRaw(`${path}${real}`), fetchRaw(`${path}nothing-here-yet`)])
    expect([path, answers[0].statusCode]).toEqual([path, 401])
    expect(answers[1]).toEqual(answers[0])
  }
  expect((await fetchRaw('site/resolve?path=/en/Notes')).body).toContain('"path":"/en/notes"')
})

test('a pass for the site shows all of it as if it were published', async () => {
  const { token } = await createPreviewPass('site')
  const { content } = (await readWith(token, 'pages/notes?version=changes')).data
  expect(content).toMatchObject({ text: 'new words' })
  expect(content).not.toHaveProperty('note')
  const children = (await readWith(token, 'site/children?version=changes')).data as unknown as { id: string }[]
  expect(children.map(({ id }) => id)).toContain('plans')
  expect((await readWith(token, 'users')).status).toBe(401)
})

const fileOf = async (token: string, id: string) => {
  const [file] = (await readWith(token, `pages/${id}/files?version=changes&select=url,thumbs`)).data as never as [
    { url: string; thumbs: Record<string, string> },
  ]
  return file
}

test('a pass opens the files of what it shows, by addresses that name it', async () => {
  const sender = await createUploader(await createSignedInUser(site))
  const upload = async (id: string) =>
    dataOf<{ filename: string }>(
      await sender.send(`pages/${id}/files`, [{ filename: `${id}.png`, bytes: await createImage() }]),
    )
  await addPage(site, '', { slug: 'pictures', title: 'Pictures' })
  await Promise.all(['pictures', 'plans', 'notes'].map(upload))
  const request = async (url: string, headers = {}) => {
    const host = new URL(site.app.config.url).host
    return site.request({ url: url.replace(site.app.config.url, ''), headers: { host, ...headers } })
  }

  const { token } = await createPreviewPass('pages/pictures')
  const { url, thumbs } = await fileOf(token, 'pictures')
  for (const address of [url, thumbs['small']!]) {
    expect(address).toContain(`?preview=${token}`)
    const { statusCode, headers } = await request(address)
    expect([statusCode, headers['cache-control'], headers['cross-origin-resource-policy']]).toEqual([
      200, 'private, no-store', 'cross-origin',
    ]) // prettier-ignore
  }
  const [bare] = url.split('?') as [string]
  expect((await request(bare, { authorization: `Bearer ${token}` })).statusCode).toBe(200)

  // Other sizes, other versions, files of other drafts, and passes that are none.
  const { token: other } = await createPreviewPass('pages/plans')
  const { token: whole } = await createPreviewPass('site')
  const old = bare.replace(/[0-9a-f]{10}-/, '0123456789-')
  const oddSize = bare.replace('pictures.png', 'pictures-77x.png')
  for (const refused of [
    bare,
    `${bare}?preview=${other}`,
    `${bare}?preview=${token}x`,
    `${bare}?preview=`,
    `${bare}?preview=${token}&preview=${token}`,
    `${old}?preview=${token}`,
    `${oddSize}?preview=${token}`,
  ])
    // prettier-ignore
    expect([refused, (await request(refused)).statusCode]).toEqual([refused, 404])
  expect((await request((await fileOf(whole, 'pictures')).url)).statusCode).toBe(200)

  // Published files have the address that caches know.
  const visible = (await fileOf((await createPreviewPass('pages/notes')).token, 'notes')).url
  expect((await request(visible)).headers['cache-control']).toBe('public, max-age=31536000, immutable')

  await admin.done('DELETE', 'pages/pictures/preview')
  expect((await request(url)).statusCode).toBe(404)
})

const ok = async (text: string) => (await readWith(text, 'pages/plans?version=changes')).status

test('a pass is refused if it was tampered with, revoked or expired', async () => {
  const { token } = await createPreviewPass('pages/plans', { lifetime: 60 })
  expect(await ok(token)).toBe(200)
  const [head, mac] = token.split('.') as [string, string]
  const forged = Buffer.from(JSON.stringify(['site://', ...payloadOf(token).slice(1)])).toString('base64url')
  expect(await ok(`quoin-preview_${forged}.${mac}`)).toBe(401)
  expect(await ok(`${head}.${mac.slice(1)}A`)).toBe(401)
  expect(await ok('quoin-preview_')).toBe(401)
  await site.storage.moveClock(61_000)
  expect(await ok(token)).toBe(401)
  const other = await createPreviewPass('pages/plans')
  await admin.done('DELETE', 'pages/plans/preview')
  expect(await ok(other.token)).toBe(401)
  await site.storage.moveClock(5)
  expect(await ok((await createPreviewPass('pages/plans')).token)).toBe(200)
})

test('a link leads to the address that the blueprint gives, and to none where no front end is', async () => {
  await addPage(site, '', { slug: 'paper', template: 'report' })
  const { token, url } = await createPreviewPass('pages/paper')
  expect(url).toBe(`https://reports.example.org/paper?from=cms&preview=${token}`)
  await addPage(site, '', { slug: 'broken', template: 'broken' })
  const refused = { status: 400, key: 'error.preview.address' }
  expect(await admin.call('POST', 'pages/broken/preview', {})).toMatchObject(refused)

  const plain = await createTestApp({})
  const owner = await createTokenClient(plain)
  await addPage(plain, '', { slug: 'notes' })
  for (const path of ['site', 'pages/notes'])
    expect([path, await owner.call('POST', `${path}/preview`, {})]).toMatchObject([path, refused])
})

test('only who may preview every template creates passes for the site', async () => {
  const answers = ['editor', 'author', 'admin'].map(async role => {
    const { status, key } = await (await createTokenClient(site, { role })).call('POST', 'site/preview', {})
    return [role, status, key]
  })
  expect(await Promise.all(answers)).toEqual([
    ['editor', 403, 'error.site.preview.permission'],
    ['author', 403, 'error.site.preview.permission'],
    ['admin', 200, undefined],
  ])
})

test('only who may preview creates passes, for at most 90 days', async () => {
  const otherClient = await createTokenClient(site, { scopes: ['pages.read'] })
  expect(await otherClient.call('POST', 'pages/plans/preview', {})).toMatchObject({ status: 403 })
  expect(await otherClient.call('GET', 'site/preview/check')).toMatchObject({ status: 403 })
  expect(await admin.call('POST', 'pages/plans/preview', { lifetime: 8_000_000 })).toMatchObject({ status: 400 })
  expect(await admin.call('POST', 'pages/nowhere/preview', {})).toMatchObject({ status: 404 })
})

test('the panel is told whether the front end can be framed', async () => {
  let sent: Record<string, string> = {}
  const requested: URL[] = []
  const server = createServer((request, response) => {
    requested.push(new URL(request.url!, 'http://front.end'))
    if (requested.at(-1)!.pathname === '/') response.writeHead(302, { location: '/home' })
    else for (const [name, value] of Object.entries(sent)) response.setHeader(name, value)
    response.end()
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const otherSite = await createTestApp({ settings: { site: { url } } })
  const owner = await createTokenClient(otherSite)
  const check = async () => (await owner.done('GET', 'site/preview/check')).data as object
  const own = otherSite.app.config.url
  for (const [headers, frame] of [
    [{}, 'allowed'],
    [{ 'x-frame-options': 'SAMEORIGIN' }, 'refused'],
    [{ 'content-security-policy': "default-src 'self'; frame-ancestors 'self'" }, 'refused'],
    [{ 'content-security-policy': `frame-ancestors 'self' ${own}`, 'x-frame-options': 'DENY' }, 'allowed'],
    [{ 'content-security-policy': 'frame-ancestors https://*.example.org' }, 'refused'],
  ] as const) {
    sent = headers
    expect([headers, await check()]).toMatchObject([headers, { frame }])
  }

  // The address that is framed: of the page, in its language, with a pass that opens a draft.
  sent = { 'content-security-policy': 'frame-ancestors https://*.example.org' }
  await addPage(otherSite, '', { slug: 'plans' })
  await owner.done('POST', 'languages', { code: 'en', name: 'English', default: true })
  await owner.done('POST', 'languages', { code: 'de', name: 'Deutsch', url: 'http://10.0.0.1' })
  const refused = { frame: 'refused', header: 'Content-Security-Policy: frame-ancestors https://*.example.org' }
  expect((await owner.done('GET', 'pages/plans/preview/check?language=en')).data).toEqual(refused)
  const { pathname, searchParams } = requested.at(-1)!
  expect(pathname).toBe('/en/plans')
  const authorization = `Bearer ${searchParams.get('preview')}`
  const opened = await otherSite.request({
    url: '/api/pages/plans',
    headers: { host: new URL(own).host, authorization },
  })
  expect(opened.statusCode).toBe(200)
  const unknown = { frame: 'unknown', header: null }
  for (const path of ['site', 'pages/plans'])
    expect((await owner.done('GET', `${path}/preview/check?language=de`)).data).toEqual(unknown)

  await new Promise(resolve => void server.close(resolve))
  expect(await check()).toEqual({ frame: 'unreachable', header: null })
})

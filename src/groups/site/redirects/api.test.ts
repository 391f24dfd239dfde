import { beforeAll, expect, test } from 'vitest'
import { createTestApp, createTestStorage, type TestApp, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, createTokenClient, type TokenClient } from '../../../../test/pages.ts'
import { operatorContext } from '../../../cli/site.ts'
import { createLanguage } from '../../../content/languages/languages.ts'

let site: TestApp
let admin: TokenClient

beforeAll(async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'users/nobody.yml': 'title: Anonymous clients\n',
    'users/author.yml': 'permissions: { site: { update: false } }\n',
    'users/withoutPages.yml': 'permissions: { pages: { read: false } }\n',
  })
  site = await createTestApp({ storage, settings: { site: { url: 'https://www.example.org' } }, quiet: true })
  admin = await createTokenClient(site)
  await createLanguage(operatorContext(site.app), { code: 'en', url: '' })
  await createLanguage(operatorContext(site.app), { code: 'de' })
  await createLanguage(operatorContext(site.app), { code: 'fr', url: 'https://www.example.fr' })
  await addPage(site, '', { slug: 'home', status: 'listed' })
  const notes = await addPage(site, '', { slug: 'notes', title: 'Notes', status: 'listed' })
  await addPage(site, notes, { slug: 'ink', title: 'Ink', status: 'listed' })
  await addPage(site, '', { slug: 'draft' })
  await admin.done('PATCH', 'pages/notes/slug?language=de', { slug: 'notizen' })
  await addPage(site, '', { slug: 'former', status: 'listed' })
  // An automatic redirect from /former, and a manual one.
  await admin.done('PATCH', 'pages/former/slug', { slug: 'present' })
  await add('/manual', '/notes')
})

const add = (path: string, target: string) => admin.call('POST', 'site/redirects', { path, target })
const list = async (query = '') => (await admin.done('GET', `site/redirects${query}`)).data as Record<string, string>[]

async function leadsTo(path: string): Promise<string | number> {
  const answer = await site.request({
    method: 'GET',
    url: `/api/site/resolve?path=${encodeURIComponent(path)}`,
    headers: { host: new URL(site.app.config.url).host },
  })
  const { redirect, data } = answer.json<{ redirect?: { url: string }; data?: { id: string } }>()
  return redirect?.url ?? data?.id ?? answer.statusCode
}

test('a redirect is added, listed, found, changed and deleted', async () => {
  const { total } = (await admin.done('GET', 'site/redirects')).pagination as { total: number }
  const created = await add('/old page/', '/notes/ink')
  expect(created.data).toMatchObject({
    path: '/old%20page',
    url: 'https://www.example.org/old%20page',
    target: '/notes/ink',
    title: 'Ink',
    language: null,
    automatic: false,
  })
  const { id } = created.data as { id: string }
  expect(await leadsTo('/old%20page')).toBe('https://www.example.org/notes/ink')
  expect(await leadsTo('/Old%20Page')).toBe('https://www.example.org/notes/ink')
  expect(await list('?q=old')).toMatchObject([{ id }])
  expect(await list('?q=%25')).toEqual([])
  expect((await admin.done('GET', 'site/redirects?limit=1')).pagination).toMatchObject({
    total: total + 1,
    limit: 1,
  })
  await admin.done('PATCH', `site/redirects/${id}`, { target: 'https://example.com/?a=b#c' })
  expect(await leadsTo('/old page')).toBe('https://example.com/?a=b#c')
  await admin.done('PATCH', `site/redirects/${id}`, { path: '/older' })
  expect(await leadsTo('/old page')).toBe(404)
  expect(await leadsTo('/older')).toBe('https://example.com/?a=b#c')
  await admin.done('DELETE', `site/redirects/${id}`)
  expect(await leadsTo('/older')).toBe(404)
  const events = (await admin.done('GET', 'site/events?event=site.changed')).data as { detail: { redirect?: string } }[]
  expect(events.map(({ detail }) => detail).filter(({ redirect }) => redirect === id)).toMatchObject(
    ['deleted', 'changed', 'changed', 'created'].map(change => ({ what: 'redirects', redirect: id, change })),
  )
})

test('automatic redirects are found by their path with the language prefix, and can be changed', async () => {
  const frenchRedirects = async () => (await list('?limit=1000')).filter(({ language }) => language === 'fr')
  const frenchBefore = await frenchRedirects()
  await admin.done('PATCH', 'pages/notes/slug?language=de', { slug: 'zettel' })
  expect(await frenchRedirects()).toEqual(frenchBefore)
  const [first] = await list('?q=/de/notizen/ink')
  expect(first).toMatchObject({ path: '/de/notizen/ink', target: '/de/zettel/ink', language: 'de', automatic: true })
  const changed = await admin.done('PATCH', `site/redirects/${first!['id']}`, { target: '/de' })
  expect(changed.data).toMatchObject({ path: '/de/notizen/ink', target: '/de', language: 'de', automatic: false })
  expect(await leadsTo('/de/notizen/ink')).toBe('https://www.example.org/de')
})

test('a chain of redirects is resolved in one step, and loops are refused', async () => {
  await admin.done('POST', 'site/redirects', { path: '/a', target: '/b' })
  await admin.done('POST', 'site/redirects', { path: '/b', target: '/c?x=1' })
  expect(await leadsTo('/a')).toBe('https://www.example.org/c?x=1')
  const [b] = await list('?q=c?x=1')
  await admin.done('PATCH', `site/redirects/${b!['id']}`, { target: '/c' })
  expect(await add('/c', '/a')).toMatchObject({ status: 400, key: 'error.redirect.loop' })
  expect(await add('/c', '/c')).toMatchObject({ status: 400, key: 'error.redirect.loop' })
  expect(await add('/c', 'https://www.example.org/a')).toMatchObject({ status: 400, key: 'error.redirect.loop' })
  await addPage(site, '', { slug: 'c', status: 'listed' })
  expect(await leadsTo('/a')).toBe('https://www.example.org/c')
  await admin.done('PATCH', 'pages/c/slug', { slug: 'd' })
  expect(await leadsTo('/a')).toBe('https://www.example.org/d')
  expect(await leadsTo('/b')).toBe('https://www.example.org/d')
})

test('a redirect can lead to another language or domain', async () => {
  await addPage(site, '', { slug: 'team', status: 'listed' })
  await admin.done('POST', 'site/redirects', { path: '/german', target: '/de/team' })
  expect(await leadsTo('/german')).toBe('https://www.example.org/de/team')
  await admin.done('POST', 'site/redirects', { path: '/french', target: 'https://www.example.fr/notes' })
  expect(await leadsTo('/french')).toBe('https://www.example.fr/notes')
})

test('a language with a domain of its own has redirects of its own', async () => {
  await admin.done('PATCH', 'pages/notes+ink/slug?language=fr', { slug: 'encre' })
  const created = await add('https://www.example.fr/vieux', '/notes/encre')
  const shown = { path: '/vieux', url: 'https://www.example.fr/vieux', target: '/notes/encre', language: 'fr' }
  expect(created.data).toMatchObject({ ...shown, title: 'Ink' })
  expect(await leadsTo('https://www.example.fr/vieux')).toBe('https://www.example.fr/notes/encre')
  expect(await leadsTo('/vieux')).toBe(404)
  await add('/main', '/elsewhere')
  expect(await leadsTo('https://www.example.fr/main')).toBe(404)
  await add('https://www.example.fr/main', '/main2')
  expect(await leadsTo('https://www.example.fr/main')).toBe('https://www.example.fr/main2')
  expect(await leadsTo('/main')).toBe('https://www.example.org/elsewhere')

  // From one domain to the same path of the other, and on from there.
  await add('https://www.example.fr/there', 'https://www.example.org/there')
  expect(await leadsTo('https://www.example.fr/there')).toBe('https://www.example.org/there')
  expect(await add('/there', 'https://www.example.fr/there')).toMatchObject({ key: 'error.redirect.loop' })
  expect(await add('https://www.example.fr/self', '/self')).toMatchObject({ key: 'error.redirect.loop' })
  await add('/there', '/notes')
  expect(await leadsTo('https://www.example.fr/there')).toBe('https://www.example.org/notes')

  // A deleted page leaves a redirect that leads nowhere: another one may take its place.
  await addPage(site, '', { slug: 'gone', status: 'listed' })
  await admin.done('DELETE', 'pages/gone', {})
  expect(await add('https://www.example.fr/gone', '/notes')).toMatchObject({ status: 200, data: { automatic: false } })
  expect(await leadsTo('https://www.example.fr/gone')).toBe('https://www.example.fr/notes')

  const { id } = created.data as { id: string }
  const moved = await admin.done('PATCH', `site/redirects/${id}`, { path: '/ancien', target: '/vieux2' })
  expect(moved.data).toMatchObject({ path: '/ancien', url: 'https://www.example.fr/ancien', target: '/vieux2' })
  expect(await leadsTo('https://www.example.fr/ancien')).toBe('https://www.example.fr/vieux2')
  expect(await add('https://www.example.fr/ancien', '/notes')).toMatchObject({ key: 'error.redirect.duplicate' })
})

test.each([
  ['', '/notes', 'validation'],
  ['old', '/notes', 'redirect.path'],
  ['//old', '/notes', 'redirect.path'],
  ['/old?a=b', '/notes', 'redirect.path'],
  ['/old#a', '/notes', 'redirect.path'],
  ['/../old', '/notes', 'redirect.path'],
  ['/old\u0000', '/notes', 'redirect.path'],
  ['/%zz', '/notes', 'redirect.path'],
  ['https://example.com/old', '/notes', 'redirect.path'],
  [`/${'ä'.repeat(600)}`, '/notes', 'redirect.path'],
  ['/', '/notes', 'redirect.path'],
  ['/de', '/notes', 'redirect.page'],
  ['/notes/ink', '/notes', 'redirect.page'],
  ['/x', '', 'validation'],
  ['/x', 'notes', 'redirect.target'],
  ['/x', '//example.com', 'redirect.target'],
  ['/x', String.raw`/\example.com`, 'redirect.target'],
  ['/x', '/.//example.com', 'redirect.target'],
  ['/x', '/a/..//example.com', 'redirect.target'],
  ['/x', 'javascript:alert(1)', 'redirect.target'],
  ['/x', 'ftp://example.com', 'redirect.target'],
  ['/x', 'https://', 'redirect.target'],
  ['/x', 'https://user:secret@example.com', 'redirect.target'],
  ['/x', 'https://example.com/\r\nSet-Cookie: a=b', 'redirect.target'],
  ['/x', 'page://none', 'page.notFound'],
  ['/manual', '/notes', 'redirect.duplicate'],
  ['/former', '/notes', 'redirect.duplicate'],
])('from %j to %j is refused: %s', async (path, target, key) => {
  const before = await list('?limit=1000')
  const answer = await add(path, target)
  expect([400, 404]).toContain(answer.status)
  expect(answer.key).toBe(`error.${key}`)
  expect(await list('?limit=1000')).toEqual(before)
})

test('redirects are visible with the permission to change the site, without pages that the caller may not see', async () => {
  const author = await createTokenClient(site, { role: 'author' })
  const { id: ofInk } = (await add('/to-ink', '/notes/ink')).data as { id: string }
  expect(await list('?q=to-ink')).toMatchObject([{ title: 'Ink' }])
  for (const [method, path, body] of [
    ['GET', 'site/redirects'],
    ['POST', 'site/redirects', { path: '/x', target: '/y' }],
    ['PATCH', `site/redirects/${ofInk}`, { target: '/y' }],
    ['DELETE', `site/redirects/${ofInk}`],
  ] as const)
    expect(await author.call(method, path, body)).toMatchObject({ status: 403, key: 'error.site.update.permission' })
  const withoutPages = await createTokenClient(site, { role: 'withoutPages' })
  const shown = (await withoutPages.done('GET', 'site/redirects?q=to-ink')).data as object[]
  expect(shown).toMatchObject([{ path: '/to-ink', title: null }])
  expect(JSON.stringify((await withoutPages.done('GET', 'site/redirects?limit=1000')).data)).not.toContain('Ink')
  for (const id of ['0', 'x', '99999999999', '-1', '9'.repeat(30)])
    expect(await admin.call('DELETE', `site/redirects/${id}`)).toMatchObject({
      status: 404,
      key: 'error.redirect.notFound',
    })
})

test('a manual redirect stays when a page at its path gets another slug, also in a language with its own domain', async () => {
  await addPage(site, '', { slug: 'campaign', title: 'Campaign' })
  const shop = 'https://shop.example.com/'
  for (const path of ['https://www.example.fr/campaign', '/campaign']) expect(await add(path, shop)).toMatchObject({ status: 200 }) // prettier-ignore
  await admin.done('PATCH', 'pages/campaign/status', { status: 'listed' })
  await admin.done('PATCH', 'pages/campaign/slug', { slug: 'other' })
  const manual = (await list('?q=campaign')).filter(({ automatic }) => !automatic)
  expect(
    manual
      .map(({ url, target }) => [url, target])
      .toSorted(([one], [other]) => String(one).localeCompare(String(other))),
  ).toEqual([
    ['https://www.example.fr/campaign', shop],
    ['https://www.example.org/campaign', shop],
  ])
  expect(await leadsTo('https://www.example.fr/campaign')).toBe(shop)
})

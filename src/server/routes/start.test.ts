import { expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/harness.ts'
import { createTokenClient } from '../../../test/pages.ts'
import { startPagePolicy } from './start-page.ts'

const asBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', host: '127.0.0.1:4080' }
const open = (site: TestApp, url: string, headers: Record<string, string> = asBrowser) => site.request({ url, headers })

test('a browser gets a page with the name of the site and links, a program gets 404', async () => {
  const site = await createTestApp()
  const admin = await createTokenClient(site)
  await admin.done('PATCH', 'site/title', { title: 'Salt & <Marsh>' })
  const page = await open(site, '/')
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.headers['content-security-policy']).toBe(startPagePolicy)
  expect(page.headers['vary']).toBe('Accept, Accept-Language')
  expect(page.body).toContain('<h1>Salt &amp; &lt;Marsh&gt;</h1>')
  expect(page.body).toContain('href="/panel"')
  expect(page.body).toContain('href="/reference/"')
  expect((await open(site, '/', { ...asBrowser, 'accept-language': 'ar' })).body).toContain(
    '<html lang="ar" dir="rtl">',
  )
  expect(await site.request({ method: 'HEAD', url: '/', headers: asBrowser })).toMatchObject({
    statusCode: 200,
    body: '',
  })

  for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.1', undefined]) {
    const answer = await site.request({ url: '/', headers: accept === undefined ? {} : { accept } })
    expect([accept, answer.statusCode, answer.json().key]).toEqual([accept, 404, 'error.notFound'])
  }
  expect(await site.request({ method: 'POST', url: '/' })).toMatchObject({
    statusCode: 405,
    headers: { allow: 'GET, HEAD' },
  })
  expect((await open(site, '/', { ...asBrowser, host: 'evil.example' })).statusCode).toBe(421)
})

test('below a base path the page is there, and the root leads to it', async () => {
  const site = await createTestApp({ settings: { url: 'http://localhost:4080/cms' } })
  for (const url of ['/cms', '/cms/']) {
    const page = await open(site, url)
    expect([page.statusCode, page.body]).toEqual([200, expect.stringContaining('href="/cms/panel"')])
  }
  expect(await open(site, '/')).toMatchObject({ statusCode: 302, headers: { location: '/cms/' } })
})

test('a site that is elsewhere is where browsers are sent to, unless that leads back here', async () => {
  const site = await createTestApp({ settings: { site: { url: 'https://www.example.org' } } })
  expect(await open(site, '/')).toMatchObject({ statusCode: 302, headers: { location: 'https://www.example.org' } })
  expect((await site.request({ url: '/' })).statusCode).toBe(404)
  const here = await createTestApp({
    settings: { url: 'http://localhost:4080/cms', site: { url: 'http://localhost:4080' } },
  })
  expect((await open(here, '/cms/')).statusCode).toBe(200)
})

test.each(['', '/cms'])('the address of the API leads browsers to the reference (base path "%s")', async base => {
  const site = await createTestApp({ settings: { url: `http://localhost:4080${base}` } })
  for (const url of [`${base}/api`, `${base}/api/`]) {
    expect(await open(site, url)).toMatchObject({ statusCode: 302, headers: { location: `${base}/reference/` } })
    const answer = await site.request({ url })
    expect([answer.statusCode, answer.json().key]).toEqual([404, 'error.notFound'])
    expect((await site.request({ method: 'POST', url, headers: asBrowser })).json().key).toBe('error.notFound')
  }
})

test('where nothing is, a browser gets a page with links, and a program JSON', async () => {
  const site = await createTestApp()
  for (const url of ['/api/nothing', '/nothing?x=1', '/.env']) {
    const page = await open(site, url, { ...asBrowser, 'accept-language': 'de' })
    expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(page.headers['content-security-policy']).toBe(startPagePolicy)
    expect(page.body).toContain('<h1>Unter dieser Adresse gibt es nichts.</h1>')
    expect(page.body).toContain('href="/panel"')
    expect((await site.request({ url })).json().key).toBe('error.notFound')
  }
  expect((await open(site, '/api/auth')).json().key, 'an address of the API is for programs').toBe('error.auth')
  expect(site.app.metrics.requestsOf('unknown').byStatus.get(404)).toBe(6)
})

test('the page reads the store, so anonymous clients are limited', async () => {
  const site = await createTestApp({ settings: { api: { anonymousPerMinute: 3 } } })
  const statuses = []
  for (let count = 0; count < 4; count++) statuses.push((await open(site, '/')).statusCode)
  expect(statuses).toEqual([200, 200, 200, 429])
})

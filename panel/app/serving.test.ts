import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { expectAccessible, openPanel } from '../../test/browser.ts'
import { isSlow } from '../../test/slow.ts'

const panel = await openPanel({ base: '/cms' })
const get = (url: string, headers: Record<string, string> = {}) =>
  panel.site.request({ url, headers: { host: 'localhost', ...headers } })

async function assetOf(kind: 'js' | 'css'): Promise<string> {
  const { body } = await get('/cms/panel')
  return new RegExp(`"(/cms/panel/assets/index-[^"]+\\.${kind})"`).exec(body)![1]!
}

test('every URL below /panel serves the same page, with its base path and a strict content security policy', async () => {
  for (const url of ['/cms/panel', '/cms/panel/', '/cms/panel/pages/a+b?language=de', '/cms/panel/no/such/thing']) {
    const answer = await get(url)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' })
    const policy = String(answer.headers['content-security-policy'])
    const [script, ...others] = [...answer.body.matchAll(/<script>(.*?)<\/script>/gs)].map(([, code]) => code!)
    expect([script!.length > 0, others]).toEqual([true, []])
    const hash = createHash('sha256').update(script!).digest('base64')
    expect(policy).toContain(`default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self';`)
    expect(policy).toContain("object-src 'none'; base-uri 'none'; frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|https?:/)
    expect(answer.body).toContain('<meta name="quoin-base" content="/cms" />')
  }
})

test('the page is revalidated and sent only if it has changed', async () => {
  const { etag } = (await get('/cms/panel')).headers
  const answer = await get('/cms/panel/site', { 'if-none-match': `W/${etag}` })
  expect([answer.statusCode, answer.body]).toEqual([304, ''])
  expect(answer.headers['etag']).toBe(etag)
})

test('assets are cached for ever and compressed as the browser accepts', async () => {
  const url = await assetOf('js')
  const plain = await get(url)
  expect(plain.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
  })
  expect((await get(url, { 'accept-encoding': 'gzip, br' })).headers['content-encoding']).toBe('br')
  const packed = await get(url, { 'accept-encoding': 'gzip, br;q=0' })
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body)
})

test.each(['assets/none-12345678.js', 'assets/', 'assets/..%2findex.html', 'assets/%00.js', 'nothing.js'])(
  '%s is not found',
  async name => {
    const answer = await get(`/cms/panel/${name}`)
    expect([answer.statusCode, answer.json<{ key: string }>().key]).toEqual([404, 'error.notFound'])
  },
)

test('only GET and HEAD are accepted, and only for a known host', async () => {
  const sent = await panel.site.request({ method: 'POST', url: '/cms/panel', headers: { host: 'localhost' } })
  expect([sent.statusCode, sent.headers['allow']]).toEqual([405, 'GET, HEAD'])
  expect((await get('/cms/panel', { host: 'elsewhere.example' })).statusCode).toBe(421)
  const head = await panel.site.request({ method: 'HEAD', url: '/cms/panel', headers: { host: 'localhost' } })
  expect(head.statusCode).toBe(200)
})

test.runIf(isSlow)('the panel works below a base path for a signed-in user', async () => {
  const page = await panel.open({ as: { role: 'admin' }, at: '/system' })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'System' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Users' }).click()
  await page.waitForURL('**/cms/panel/users')
  await page.reload()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Users' }).waitFor()
})

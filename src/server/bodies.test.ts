/** Bodies as older clients write them, and as pages of other sites would. */
import { expect, test } from 'vitest'
import { addUser, createTestApp, password } from '../../test/harness.ts'
import { newIp, postLogin } from '../../test/sign-in.ts'
import { addToken } from '../../test/tokens.ts'

const site = await createTestApp({
  settings: { auth: { throttle: false }, api: { basicAuth: true, allowInsecure: true } },
})
const { id, email } = await addUser(site)
const basic = { authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}` }
const { token } = await addToken(site.app, { userId: id, name: 'test', scopes: ['*'] })
const bearer = { authorization: `Bearer ${token}` }
const browser = site.browser({ ip: newIp() })
const { csrf } = (await postLogin(browser, { email, password })).json<{ csrf: string }>()
const cookie = { cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ') }

const { host, origin: here } = new URL(site.app.config.url)
const text = { 'content-type': 'text/plain' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

type Method = 'POST' | 'PATCH'

async function send(
  [method, path]: [Method, string],
  headers: Record<string, string>,
  payload: string | Buffer,
): Promise<{ outcome: string; data: Record<string, unknown> }> {
  const answer = await site.request({ method, url: `/api/${path}`, headers: { host, ...headers }, payload })
  const { key, data = {} } = answer.json<{ key?: string; data?: Record<string, unknown> }>()
  return { outcome: key === undefined ? String(answer.statusCode) : `${answer.statusCode} ${key}`, data }
}

const rename: [Method, string] = ['PATCH', 'site/title']
const make: [Method, string] = ['POST', 'site/children']
let count = 0
const newSlug = () => `page-${++count}`

async function titleNow(): Promise<unknown> {
  const answer = await site.request({ url: '/api/site?select=title', headers: { host, ...bearer } })
  return answer.json<{ data: { title: string } }>().data.title
}

test.each([
  ['a plain text', text],
  ['a plain text in UTF-8', { 'content-type': 'text/plain;charset=UTF-8' }],
  ['nothing', {}],
])('JSON with the type %s is accepted from programs', async (name, type) => {
  for (const [who, credentials] of Object.entries({ basic, bearer })) {
    const title = `${name} by ${who}`
    const payload = Buffer.from(JSON.stringify({ title }))
    const length = { 'content-length': String(payload.length) }
    expect(await send(rename, { ...credentials, ...type, ...length }, payload)).toMatchObject({
      outcome: '200',
      data: { title },
    })
  }
  expect(await send(rename, { ...basic, ...text }, '{"title":')).toMatchObject({
    outcome: '400 error.request.malformed',
  })
  expect(await send(rename, { ...basic, ...text }, 'title=x')).toMatchObject({ outcome: '400 error.request.malformed' })
  expect(await send(rename, { ...basic, ...text }, '{"title":1}')).toMatchObject({ outcome: '400 error.validation' })
})

test('a form is parsed by the names of its fields, which can be nested', async () => {
  const slug = newSlug()
  const { outcome, data } = await send(make, { ...basic, ...form }, `slug=${slug}&content[title]=Gr%C3%B6%C3%9Fe+1`)
  expect([outcome, data['slug'], data['title']]).toEqual(['200', slug, 'Größe 1'])
  expect(await send(rename, { ...basic, ...form }, 'TITLE=Upper')).toMatchObject({
    outcome: '200',
    data: { title: 'Upper' },
  })
})

test('values of a form are text: nothing becomes a number or boolean', async () => {
  expect(await send(make, { ...basic, ...form }, `slug=${newSlug()}&draft=false`)).toMatchObject({
    outcome: '400 error.validation',
  })
})

test.each([
  'a=1&a=2',
  '__proto__[admin]=1',
  'constructor[prototype][admin]=1',
  'title',
  'title[=x',
  '{"title":"x"}',
  'title=%ff',
])('a form such as %s is refused', async payload => {
  expect(await send(rename, { ...basic, ...form }, payload)).toMatchObject({ outcome: '400 error.request.malformed' })
  expect({}).not.toHaveProperty('admin')
})

/** What a page of another site makes a browser send; without a preflight it can choose no other headers. */
const elsewhere: Record<string, Record<string, string>> = {
  'a site that says so': {
    origin: 'https://evil.example',
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
  },
  'a site of the same domain': { origin: 'https://other.127.0.0.1', 'sec-fetch-site': 'same-site' },
  'a frame without an origin': { origin: 'null', 'sec-fetch-site': 'cross-site' },
  'a browser that only knows Origin': { origin: 'https://evil.example' },
  'a browser that only knows a hidden Origin': { origin: 'null' },
  'a browser that hides Origin': { 'sec-fetch-site': 'cross-site' },
  'an address that was typed': { 'sec-fetch-site': 'none' },
  'an old browser, which names the page': { referer: 'https://evil.example/form.html' },
  'an old browser, and a page with our name in it': { referer: `https://evil.example/${here}` },
  'an old browser, and a page of a name like ours': { referer: `${here}.evil.example/` },
  'an old browser, and a page with our name as its user': { referer: `http://${host}@evil.example/` },
  'an old browser, and no page at all': { referer: 'about:blank' },
}

test.each(Object.entries(elsewhere))('a body from %s is refused, whatever the credentials', async (_, headers) => {
  const before = await titleNow()
  for (const credentials of [basic, cookie, { ...cookie, ...basic }, {}])
    for (const [type, payload] of [
      [text, '{"title":"evil"}'],
      [form, 'title=evil'],
    ] as const)
      expect(await send(rename, { ...credentials, ...type, ...headers }, payload)).toMatchObject({
        outcome: '403 error.auth.origin',
      })
  // A method override does not bypass the check.
  const override = { 'x-http-method-override': 'PATCH' }
  expect(
    await send(['POST', 'site/title'], { ...basic, ...form, ...override, ...headers }, 'title=evil'),
  ).toMatchObject({ outcome: '403 error.auth.origin' })
  expect(await titleNow()).toBe(before)
})

test('a form with a session cookie needs the CSRF token, even from our own origin', async () => {
  const own = { origin: here, 'sec-fetch-site': 'same-origin' }
  const before = await titleNow()
  expect(await send(rename, { ...cookie, ...form, ...own }, 'title=x')).toMatchObject({
    outcome: '403 error.auth.csrf',
  })
  expect(await send(rename, { ...cookie, ...text, ...own }, '{"title":"x"}')).toMatchObject({
    outcome: '403 error.auth.csrf',
  })
  expect(await send(rename, { ...cookie, ...form, ...own }, `title=x&csrf=${csrf}`)).toMatchObject({
    outcome: '403 error.auth.csrf',
  })
  expect(await titleNow()).toBe(before)
  expect(await send(rename, { ...cookie, ...form, ...own, 'x-csrf': csrf }, 'title=Own')).toMatchObject({
    outcome: '200',
  })
  expect(await titleNow()).toBe('Own')
})

test('our own pages, and programs with their own credentials, are accepted', async () => {
  for (const headers of [{ origin: here }, { referer: `${here}/panel` }, { 'sec-fetch-site': 'same-origin' }])
    expect(await send(rename, { ...basic, ...form, ...headers }, 'title=Here')).toMatchObject({ outcome: '200' })
  // No browser adds this by itself.
  expect(await send(rename, { ...bearer, ...form, origin: 'https://evil.example' }, 'title=Bearer')).toMatchObject({
    outcome: '200',
  })
})

test('public endpoints accept only declared JSON', async () => {
  for (const path of ['auth/login', 'auth/logout', 'system/install'])
    for (const [type, payload] of [
      [text, JSON.stringify({ email, password })],
      [form, `email=${email}&password=${password}`],
      [{ 'content-length': '2' }, '{}'],
    ] as const)
      expect([path, (await send(['POST', path], type, Buffer.from(payload))).outcome]).toEqual([
        path,
        '415 error.request.mediaType',
      ])
})

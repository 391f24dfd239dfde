import { expect, test } from 'vitest'
import { addUser, createTestStorage, createTestApp, password, type TestApp } from '../../../test/harness.ts'
import { everythingIn, newIp, postLogin, refusal } from '../../../test/sign-in.ts'
import type { App } from '../../app.ts'
import { release } from '../../platform/release.ts'
import { requirements } from './system.ts'
import { addToken } from '../../../test/tokens.ts'

const site = await createTestApp()
const admin = await addUser(site)

interface Shown {
  code: number
  data: Record<string, unknown>
  status: string
  type: string
}

const get = async (from: TestApp, query = '', headers: Record<string, string> = {}) =>
  (await from.browser({ ip: newIp() }).send({ url: `/api/system${query}`, headers })).json<Shown>()

/** The same with a session. */
async function getAs(email: string, query = '') {
  const browser = site.browser({ ip: newIp() })
  await postLogin(browser, { email, password })
  return (await browser.send({ url: `/api/system${query}` })).json<Shown>()
}

const anonymous = [
  'authStatus',
  'defaultLanguage',
  'isInstallable',
  'isInstalled',
  'isOk',
  'loginMethods',
  'title',
  'translation',
  'translations',
]

// ---- anonymous clients

test('an anonymous client sees only what a sign-in needs', async () => {
  const { data, ...envelope } = await get(site)
  expect(envelope).toEqual({ code: 200, status: 'ok', type: 'model' })
  expect(Object.keys(data)).toEqual(anonymous)
  expect(data).toMatchObject({
    defaultLanguage: 'en',
    isInstallable: false,
    isInstalled: true,
    isOk: true,
    loginMethods: ['password', 'passkey'],
    title: expect.any(String) as string,
    translation: { direction: 'ltr', id: 'en', name: 'English' },
  })
  expect(data['translations']).toContainEqual({ direction: 'rtl', id: 'ar', name: expect.any(String) as string })
  expect(Object.keys(data['translation'] as object), 'no texts').toEqual(['direction', 'id', 'name'])
  expect(JSON.stringify(data)).not.toContain(release)
  expect(JSON.stringify(data).length).toBeLessThan(2000)
})

test.each([
  '?select=version',
  '?view=panel',
  '?view=any',
  '?select[]=user&select[]=requirements',
  '?view=troubleshooting',
])('an anonymous client cannot select: %s', async query => {
  expect(Object.keys((await get(site, query)).data)).toEqual(anonymous)
})

test('the translation is that of the Accept-Language header', async () => {
  const { data } = await get(site, '', { 'accept-language': 'ar-EG,de;q=0.5' })
  expect(data['translation']).toMatchObject({ id: 'ar', direction: 'rtl' })
})

test('F21: an anonymous request writes nothing and starts no session', async () => {
  const before = await everythingIn(site)
  for (const headers of [{}, { cookie: 'quoin_insecure=x' }, { authorization: 'Bearer quoin_x' }]) {
    const answer = await site.browser({ ip: newIp() }).send({ url: '/api/system', headers })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['set-cookie']).toBeUndefined()
  }
  expect(await everythingIn(site)).toEqual(before)
})

test('with mail a password reset is offered', async () => {
  const withMail = await createTestApp({ settings: { mail: { url: 'smtp://127.0.0.1:1', from: 'cms@example.org' } } })
  expect((await get(withMail)).data['loginMethods']).toEqual(['password', 'passkey', 'password-reset'])
})

test('an unknown parameter is ignored', async () => {
  expect((await site.browser({ ip: newIp() }).send({ url: '/api/system?_=1700' })).statusCode).toBe(200)
})

test('wrong Basic credentials are refused although anonymous access is allowed', async () => {
  const basic = await createTestApp({ settings: { api: { basicAuth: true, allowInsecure: true } } })
  const { email } = await addUser(basic)
  const authorization = `Basic ${Buffer.from(`${email}:wrong`).toString('base64')}`
  const answer = await basic.browser().send({ url: '/api/system', headers: { authorization } })
  expect(refusal(answer)).toMatchObject({ status: 401, key: 'error.access.login' })
})

// ---- people

test('a signed-in caller gets all fields, unless they select some', async () => {
  const { data } = await getAs(admin.email)
  expect(data).toMatchObject({
    authStatus: { challenge: null, email: admin.email, status: 'active' },
    ascii: {},
    isInstalled: true,
    isLocal: false,
    languages: [],
    locales: expect.objectContaining({ en: 'en_US', de: 'de_DE', ja: 'ja_JP' }) as object,
    multilang: false,
    requirements: { accounts: true, content: true, media: true, server: true, sessions: true },
    slugs: {},
    user: { id: admin.id, email: admin.email },
    version: release,
  })
  expect(Object.keys(data)).toEqual(Object.keys(data).toSorted())
  for (const absent of ['license', 'kirbytext']) expect(data).not.toHaveProperty(absent)
  expect((data['translation'] as { data: object }).data).toHaveProperty(['error.auth'])
})

test.each([
  ['?select=version,isOk', ['isOk', 'version']],
  ['?view=login', ['authStatus', 'isInstallable', 'isInstalled', 'isOk', 'loginMethods', 'title', 'translation']],
  ['?view=troubleshooting', ['isInstallable', 'isInstalled', 'isOk', 'requirements', 'title', 'translation']],
  [
    '?view=panel',
    [
      'ascii',
      'defaultLanguage',
      'isInstalled',
      'isLocal',
      'isOk',
      'languages',
      'locales',
      'multilang',
      'requirements',
      'site',
      'siteUrl',
      'slugs',
      'title',
      'translation',
      'user',
      'version',
    ],
  ],
])('%s', async (query, names) => {
  expect(Object.keys((await getAs(admin.email, query)).data)).toEqual(names)
})

test('the panel gets the permissions of its user', async () => {
  const { data } = await getAs(admin.email, '?view=panel')
  expect(data['user']).toHaveProperty('permissions.access.panel', true)
})

test('an unknown view shows all fields', async () => {
  expect((await getAs(admin.email, '?view=sideways')).data).toEqual((await getAs(admin.email)).data)
})

test('the release is shown only with access to the system', async () => {
  const { email } = await addUser(site, { role: 'nobody-described-it' })
  expect((await getAs(email, '?select=version')).data).toEqual({ version: null })
  const { token } = await addToken(site.app, { userId: admin.id, name: 'ci', scopes: ['pages.*'] })
  expect((await get(site, '?select=version', { authorization: `Bearer ${token}` })).data).toEqual({ version: null })
})

test('an account that must change its password still gets a response', async () => {
  const { email } = await addUser(site, { mustChangePassword: true })
  expect((await getAs(email, '?view=login')).data).toMatchObject({ isInstalled: true })
})

test('an unwritable data folder is not ok', async () => {
  expect(await requirements({ config: { data: '/dev/null/data' } } as App)).toMatchObject({ media: false })
})

test('the first response of a new site says that it is not installed', async () => {
  const fresh = await createTestApp({ storage: await createTestStorage() })
  expect((await get(fresh)).data).toMatchObject({ isInstalled: false, isInstallable: false })
  const here = await fresh.browser({ ip: '127.0.0.1' }).send({ url: '/api/system' })
  expect(here.json<Shown>().data).toMatchObject({ isInstalled: false, isInstallable: true })
})

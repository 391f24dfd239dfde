import { beforeEach, expect, test } from 'vitest'
import { addUser, createTestStorage, createTestApp, password } from '../../../test/harness.ts'
import { describeRole } from '../../../test/signed-in-user.ts'
import { newIp } from '../../../test/sign-in.ts'

const storage = await createTestStorage()
describeRole(
  storage,
  'writer',
  "permissions: { '*': false, access: { panel: true, account: true }, languages: { create: true } }",
)
const site = await createTestApp({ storage })
const { store } = site.app

async function clientOf(role: string) {
  const { client } = site.browser({ ip: newIp() })
  await client.auth.login({ email: (await addUser(site, { role })).email, password })
  return client
}

const admin = await clientOf('admin')
const writer = await clientOf('writer')
const editor = await clientOf('editor')
const { languages } = admin

/** Each test begins on a site without languages. */
beforeEach(async () => {
  await store.db.deleteFrom('languages').execute()
})

const codes = async () => (await languages.list({ select: 'code' })).data.map(({ code }) => code)
const defaults = async () => (await languages.list()).data.flatMap(one => (one.default ? [one.code] : []))

test('a site without languages has an empty list', async () => {
  expect(await languages.list()).toMatchObject({ data: [], pagination: { total: 0, page: 0 } })
  await expect(languages.get({ code: 'en' })).rejects.toMatchObject({ status: 404, key: 'error.language.notFound' })
  await expect(languages.update({ code: 'en' }, {})).rejects.toMatchObject({ status: 404 })
  await expect(languages.delete({ code: 'en' })).rejects.toMatchObject({ status: 404 })
  expect(await admin.system.get({ select: 'languages,multilang,slugs,defaultLanguage' })).toEqual({
    defaultLanguage: 'en',
    languages: [],
    multilang: false,
    slugs: {},
  })
})

test('a language is added, read, listed, changed and deleted', async () => {
  const url = site.app.config.url
  expect(await languages.create({ code: 'en' })).toEqual({
    code: 'en',
    default: true,
    direction: 'ltr',
    locale: { 6: 'en' },
    name: 'en',
    rules: {},
    url: `${url}/en`,
  })
  const german = {
    code: 'de',
    default: false,
    direction: 'ltr',
    locale: { 2: 'de_CH', 6: 'de_DE' },
    name: 'Deutsch',
    rules: { Ä: 'AE', Ö: 'OE', Ü: 'UE', ß: 'ss', ä: 'ae', ö: 'oe', ü: 'ue', '&': 'und' },
    url: `${url}/deutsch`,
  }
  const created = await languages.create({
    code: 'de',
    name: ' Deutsch ',
    locale: { LC_ALL: 'de_DE', LC_TIME: 'de_CH' },
    url: 'deutsch/',
    slugs: { '&': 'und' },
    translations: { greeting: 'Moin' },
  })
  expect(created).toEqual(german)
  expect(await languages.get({ code: 'de' })).toEqual(german)
  expect((await languages.list()).data.map(({ code }) => code)).toEqual(['de', 'en'])
  expect((await languages.list({ limit: 1, page: 2, select: 'code' })).data).toEqual([{ code: 'en' }])
  expect(await languages.get({ code: 'de', select: 'slugs,translations' })).toEqual({
    slugs: { '&': 'und' },
    translations: { greeting: 'Moin' },
  })
  const changed = await languages.update(
    { code: 'de' },
    { code: 'xx', name: 'Plattdütsch', url: 'https://nds.example.org/' },
  )
  expect(changed).toEqual({ ...german, name: 'Plattdütsch', url: 'https://nds.example.org' })
  expect(await languages.update({ code: 'de' }, { direction: 'rtl', url: '/', locale: 'nds', slugs: {} })).toEqual({
    ...german,
    name: 'Plattdütsch',
    direction: 'rtl',
    url,
    locale: { 6: 'nds' },
    rules: {},
  })
  await languages.delete({ code: 'de' })
  await languages.delete({ code: 'en' })
  expect(await codes()).toEqual([])
})

test.each([
  ['HE IL', 'he-il'],
  ['pt_BR', 'pt-br'],
  ['zh-Hant', 'zh-hant'],
])('the code %s is %s', async (typed, code) => {
  expect((await languages.create({ code: typed })).code).toBe(code)
})

test.each(['', 'x', '..', 'a'.repeat(21), 'a'.repeat(200), '日本', '--'])('"%s" is not a language code', async code => {
  await expect(languages.create({ code })).rejects.toMatchObject({ status: 400, key: 'error.language.code' })
})

test.each([
  ['language.code', { code: undefined }],
  ['language.code', { code: 7 }],
  ['language.name', { name: '' }],
  ['language.name', { name: ' \n ' }],
  ['validation', { name: 'n'.repeat(101) }],
  ['validation', { default: 'yes' }],
  ['validation', { colour: 'red' }],
  ['validation', { slugs: { a: 1 } }],
  ['validation', { slugs: Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`s${index}`, ''])) }],
  ['validation', { translations: ['a'] }],
  ['invalidArgument', { locale: '../etc' }],
  ['validation', { direction: 1 }],
  ['invalidArgument', { locale: {} }],
  ['invalidArgument', { locale: { LC_WRONG: 'de' } }],
  ['invalidArgument', { locale: { 9: 'de' } }],
  ['invalidArgument', { url: '//evil.example' }],
  ['invalidArgument', { url: '/de/../api' }],
  ['invalidArgument', { url: '/de?x=1' }],
  ['invalidArgument', { url: 'javascript:alert(1)' }],
  ['invalidArgument', { url: 'https://user:pass@example.org' }],
  ['invalidArgument', { url: 'https://example.org/?a' }],
  ['invalidArgument', { url: 'https://' }],
])('it is %s to send %j', async (key, body) => {
  const refused = { status: 400, key: `error.${key}` }
  await expect(languages.create({ code: 'de', ...body } as never)).rejects.toMatchObject(refused)
  expect(await codes()).toEqual([])
  if ('code' in body) return
  await languages.create({ code: 'de' })
  await expect(languages.update({ code: 'de' }, body as never)).rejects.toMatchObject(refused)
  expect(await languages.get({ code: 'de', select: 'name,url' })).toEqual({
    name: 'de',
    url: `${site.app.config.url}/de`,
  })
})

test('a language code is unique, and there are at most a hundred languages', async () => {
  await languages.create({ code: 'en' })
  await expect(languages.create({ code: 'EN' })).rejects.toMatchObject({ status: 400, key: 'error.language.duplicate' })
  const row = {
    name: '',
    direction: 'ltr',
    locale: '{}',
    url: '',
    slugs: '{}',
    translations: '{}',
    is_default: 0,
  } as const
  const rows = Array.from({ length: 99 }, (_, index) => ({ ...row, code: `x${index}`, key: `x${index}` }))
  await store.db.insertInto('languages').values(rows).execute()
  await expect(languages.create({ code: 'de' })).rejects.toMatchObject({ status: 400, key: 'error.language.limit' })
})

test('the first language is always the default; then another one can become it', async () => {
  await languages.create({ code: 'en', default: false })
  await languages.create({ code: 'de', default: false })
  expect(await defaults()).toEqual(['en'])
  await expect(languages.update({ code: 'en' }, { default: false })).rejects.toMatchObject({
    status: 400,
    key: 'error.language.default',
  })
  expect(await languages.update({ code: 'de' }, { default: false })).toMatchObject({ default: false })
  expect(await languages.update({ code: 'de' }, { default: true })).toMatchObject({ default: true })
  expect(await defaults()).toEqual(['de'])
  await languages.create({ code: 'fr', default: true })
  expect(await defaults()).toEqual(['fr'])
  await expect(languages.delete({ code: 'fr' })).rejects.toMatchObject({
    status: 400,
    key: 'error.language.delete.default',
  })
  expect(await languages.update({ code: 'fr' }, { default: true, name: 'Français' })).toMatchObject({ default: true })
})

const forbidden = (action: string) => ({ status: 403, key: `error.language.${action}.permission` })

test('every caller may read languages; adding, changing and deleting require permissions', async () => {
  expect((await editor.languages.list()).data).toEqual([])
  await expect(editor.languages.create({ code: 'en' })).rejects.toMatchObject(forbidden('create'))
  await writer.languages.create({ code: 'en' })
  expect((await editor.languages.get({ code: 'en' })).code).toBe('en')
  await expect(editor.languages.update({ code: 'en' }, { name: 'X' })).rejects.toMatchObject(forbidden('create'))
  expect((await writer.languages.update({ code: 'en' }, { name: 'X' })).name).toBe('X')
  await expect(writer.languages.delete({ code: 'en' })).rejects.toMatchObject(forbidden('delete'))
  const anonymous = site.browser({ ip: newIp() }).client
  await expect(anonymous.languages.list()).rejects.toMatchObject({ status: 401 })
  await expect(anonymous.languages.create({ code: 'de' })).rejects.toMatchObject({ status: 401 })
})

test('changes of languages are recorded', async () => {
  await languages.create({ code: 'en' })
  await languages.create({ code: 'de' })
  await languages.update({ code: 'de' }, { default: true })
  await languages.delete({ code: 'en' })
  const rows = await store.db
    .selectFrom('audit_events')
    .select(['event', 'detail', 'actor_id'])
    .where('event', 'like', 'language.%')
    .orderBy('id', 'desc')
    .limit(4)
    .execute()
  expect(rows.toReversed().map(({ event, detail }) => [event, JSON.parse(detail)])).toEqual([
    ['language.created', { code: 'en' }],
    ['language.created', { code: 'de' }],
    ['language.changed', { code: 'de', default: true, fields: ['default'] }],
    ['language.deleted', { code: 'en' }],
  ])
  expect(rows.every(({ actor_id }) => actor_id !== null)).toBe(true)
})

test('the system lists them, and uses the default one for callers without a language', async () => {
  await languages.create({ code: 'de-at', name: 'Österreichisch' })
  await languages.create({ code: 'en' })
  const system = await admin.system.get({ select: 'languages,multilang,slugs,defaultLanguage,ascii' })
  expect(system).toMatchObject({ multilang: true, defaultLanguage: 'de', slugs: { ä: 'ae' } })
  expect(system.languages!.map(({ code }) => code)).toEqual(['de-at', 'en'])
  expect(system.ascii).toMatchObject({ '/ß/': 'ss' })
  expect(await admin.system.get({ select: 'slugs', language: 'en' })).toEqual({ slugs: {} })
  const anonymous = await site.browser({ ip: newIp() }).client.system.get()
  expect(anonymous).toMatchObject({ defaultLanguage: 'de' })
  expect(anonymous).not.toHaveProperty('languages')
})

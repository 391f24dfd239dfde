import { beforeEach, expect, test } from 'vitest'
import { addUser, createTestStorage, createTestApp, password } from '../../../test/harness.ts'
import { describeRole } from '../../../test/signed-in-user.ts'
import { createPage } from '../pages/create.ts'
import { operatorContext } from '../../cli/site.ts'

const storage = await createTestStorage()
describeRole(
  storage,
  'author',
  `fields:
  bio: { type: textarea }
  motto: { type: text }
  room: { type: text, translate: false }
`,
)
const site = await createTestApp({ storage })
const { store } = site.app
const { client } = site.browser()
await client.auth.login({ email: (await addUser(site)).email, password })
const { languages, users } = client

const english = { bio: 'Keeps bees', motto: 'Slowly', room: '12' }
let id: string

/** A new account on a site without languages. */
beforeEach(async () => {
  for (const table of ['languages', 'contents', 'changes', 'history', 'search_rows'] as const)
    await store.db.deleteFrom(table).execute()
  id = (await addUser(site, { role: 'author' })).id
  await users.update({ id }, english)
})

const content = async (language?: string) =>
  (await users.get({ id, select: 'content', ...(language !== undefined && { language }) })).content as Record<
    string,
    string
  >
const write = (language: string, values: object) => users.update({ id, language }, values as Record<string, unknown>)

/** The stored rows, by language key. */
async function stored(table: 'contents' | 'changes' | 'history'): Promise<Record<string, Record<string, string>>> {
  const rows = await store.db
    .selectFrom(table)
    .select(['language', 'data'])
    .where('owner', '=', `user://${id}`)
    .execute()
  return Object.fromEntries(rows.map(({ language, data }) => [language, JSON.parse(data) as Record<string, string>]))
}

async function addTwoLanguages(): Promise<void> {
  await languages.create({ code: 'en' })
  await languages.create({ code: 'de' })
}

test('content written before there were languages belongs to the first language', async () => {
  await languages.create({ code: 'en' })
  expect(await content()).toEqual(english)
  expect(await content('en')).toEqual(english)
  await write('en', { motto: 'Steadily' })
  expect(await stored('contents')).toEqual({ '': { ...english, motto: 'Steadily' } })
  await languages.delete({ code: 'en' })
  expect(await content()).toEqual({ ...english, motto: 'Steadily' })
})

test('untranslated fields are read in the default language', async () => {
  await addTwoLanguages()
  expect(await content('de')).toEqual(english)
  const german = { bio: 'Hält Bienen', motto: 'Slowly', room: '12' }
  expect((await write('de', { bio: 'Hält Bienen' })).content).toEqual(german)
  expect(await content('de')).toEqual(german)
  expect(await content()).toEqual(english)
})

test('$overwrite makes a translation of a fallback value, although it is the same', async () => {
  await addTwoLanguages()
  await write('de', english)
  await write('de', { room: { $overwrite: '12' } })
  expect(await stored('contents')).toEqual({ '': english })
  await write('de', { motto: { $overwrite: 'Slowly' }, room: { $overwrite: '12' } })
  const { room: _, ...translated } = english
  expect(await stored('contents')).toEqual({ '': english, de: translated })
  await write('en', { motto: 'Steadily', room: '13' })
  expect(await content('de')).toEqual({ ...english, room: '13' })
})

test('a field cleared in one language stays in the others', async () => {
  await addTwoLanguages()
  await write('de', { motto: '' })
  expect(await content('de')).toMatchObject({ motto: '', bio: 'Keeps bees' })
  expect(await content('en')).toEqual(english)
})

test('writing in another language stores all translatable values', async () => {
  await addTwoLanguages()
  await write('de', { bio: 'Hält Bienen', room: '13' })
  expect(await stored('contents')).toEqual({ '': english, de: { bio: 'Hält Bienen', motto: 'Slowly' } })
  await write('en', { motto: 'Steadily', room: '14' })
  expect(await content('de')).toEqual({ bio: 'Hält Bienen', motto: 'Slowly', room: '14' })
})

test('a field that becomes untranslatable is read in the default language, whatever was stored', async () => {
  await addTwoLanguages()
  await store.db
    .insertInto('contents')
    .values({ owner: `user://${id}`, language: 'de', data: '{"room":"99"}', modified_at: 0 })
    .execute()
  expect(await content('de')).toMatchObject({ room: '12' })
})

test('the language can be a header; the query parameter takes precedence', async () => {
  await addTwoLanguages()
  await write('de', { bio: 'Hält Bienen' })
  const browser = site.browser()
  await browser.client.auth.login({ email: (await addUser(site)).email, password })
  const bio = async (url: string, language: string) => {
    const answer = await browser.send({
      url: `/api/users/${id}?select=content${url}`,
      headers: { 'x-language': language },
    })
    return answer.json<{ data: { content: { bio: string } } }>().data.content.bio
  }
  expect(await bio('', 'de')).toBe('Hält Bienen')
  expect(await bio('&language=en', 'de')).toBe('Keeps bees')
  expect(await bio('&language=de', 'en')).toBe('Hält Bienen')
  expect(await bio('', 'xx')).toBe('Keeps bees')
})

test('an unknown language is read as the default, and cannot be written', async () => {
  expect(await content('xx')).toEqual(english)
  expect((await write('xx', { bio: 'On a site without languages there is only one' })).content).toMatchObject({
    room: '12',
  })
  await write('xx', english)
  await addTwoLanguages()
  expect(await content('xx')).toEqual(english)
  await expect(write('xx', { bio: 'Nowhere' })).rejects.toMatchObject({ status: 400, key: 'error.language.unknown' })
  expect(Object.keys(await stored('contents'))).toEqual([''])
})

test('new accounts are written in the default language, whatever was requested', async () => {
  await addTwoLanguages()
  await languages.update({ code: 'de' }, { default: true })
  const created = await users.create({
    email: 'new@example.org',
    password: 'a very long passphrase',
    role: 'author',
    content: { bio: 'Neu' },
  })
  id = created.id!
  expect(await stored('contents')).toEqual({ de: { bio: 'Neu' } })
  expect(await content('en')).toMatchObject({ bio: 'Neu' })
})

test('a new default language shows the same content as before', async () => {
  await addTwoLanguages()
  await write('de', { bio: 'Hält Bienen' })
  const [before, other] = [await content('de'), await content('en')]
  await languages.update({ code: 'de' }, { default: true })
  expect(await content()).toEqual(before)
  expect(await content('en')).toEqual(other)
  await write('de', { room: '20' })
  expect(await content('en')).toEqual({ ...other, room: '20' })
})

test('content that exists only in the previous default language is not lost', async () => {
  await addTwoLanguages()
  await languages.update({ code: 'de' }, { default: true })
  expect(await stored('contents')).toEqual({ '': english, de: english })
  await languages.delete({ code: 'en' })
  expect(await stored('contents')).toEqual({ de: english })
  expect(await content()).toEqual(english)
})

test('translations from before a field became untranslatable do not come back', async () => {
  await addTwoLanguages()
  const data = JSON.stringify({ bio: 'Hält Bienen', room: '99' })
  await store.db
    .insertInto('contents')
    .values({ owner: `user://${id}`, language: 'de', data, modified_at: 0 })
    .execute()
  await languages.update({ code: 'de' }, { default: true })
  expect(await content()).toEqual({ bio: 'Hält Bienen', motto: 'Slowly', room: '12' })
})

test('a language is deleted with its content, and starts empty again', async () => {
  await addTwoLanguages()
  await write('de', { bio: 'Hält Bienen' })
  await store.db
    .insertInto('changes')
    .values({ owner: `user://${id}`, language: 'de', data: '{}', user_id: null, modified_at: 0 })
    .execute()
  await languages.delete({ code: 'de' })
  for (const table of ['contents', 'changes', 'history'] as const) expect(await stored(table)).not.toHaveProperty('de')
  expect(await stored('history')).toHaveProperty([''])
  await languages.create({ code: 'de' })
  expect(await content('de')).toEqual(english)
})

test('the last language may differ from the first: its content stays', async () => {
  await addTwoLanguages()
  await write('de', { bio: 'Hält Bienen' })
  await languages.update({ code: 'de' }, { default: true })
  await languages.delete({ code: 'en' })
  await languages.delete({ code: 'de' })
  const german = { bio: 'Hält Bienen', motto: 'Slowly', room: '12' }
  expect(await content()).toEqual(german)
  expect(await stored('contents')).toEqual({ '': german })
  expect(Object.keys(await stored('history'))).toEqual([''])
  await languages.create({ code: 'fr' })
  expect(await content('fr')).toEqual(german)
})

test('the search index follows the languages', async () => {
  const uuid = await createPage(operatorContext(site.app), '', {
    shownReferences: 'all',
    slug: `page-${id}`,
    title: 'Bees',
  })
  const found = async () =>
    (await store.db.selectFrom('search_rows').select('language').where('owner', '=', `page://${uuid}`).execute())
      .map(({ language }) => language)
      .toSorted()
  await addTwoLanguages()
  expect(await found()).toEqual([''])
  await languages.update({ code: 'de' }, { default: true })
  expect(await found()).toEqual(['', 'de'])
  await languages.delete({ code: 'en' })
  expect(await found()).toEqual(['de'])
  await languages.delete({ code: 'de' })
  expect(await found()).toEqual([''])
})

async function countContents(language: string): Promise<number> {
  return (await store.db.selectFrom('contents').select('owner').where('language', '=', language).execute()).length
}

test('more models than one batch are copied to a new default language', async () => {
  await addTwoLanguages()
  const rows = Array.from({ length: 2500 }, (_, index) => ({
    owner: `user://many${index}`,
    language: '',
    data: JSON.stringify({ bio: String(index) }),
    modified_at: index,
  }))
  for (let start = 0; start < rows.length; start += 500)
    await store.db
      .insertInto('contents')
      .values(rows.slice(start, start + 500))
      .execute()
  await languages.update({ code: 'de' }, { default: true })
  const all = await countContents('')
  expect(all).toBeGreaterThan(2500)
  expect(await countContents('de')).toBe(all)
  await languages.delete({ code: 'en' })
  expect([await countContents(''), await countContents('de')]).toEqual([0, all])
  await languages.delete({ code: 'de' })
  expect([await countContents(''), await countContents('de')]).toEqual([all, 0])
})

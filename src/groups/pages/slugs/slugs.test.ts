import { beforeEach, expect, test } from 'vitest'
import { addUser, createTestStorage, createTestApp, password, writeBlueprints } from '../../../../test/harness.ts'
import { readsOf } from '../../../../test/sign-in.ts'
import { createPage } from '../create.ts'
import { operatorContext } from '../../../cli/site.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, {
  'pages/default.yml': `title: Page
fields:
  text: { type: textarea }
  price: { type: number, translate: false }
`,
})
const site = await createTestApp({ storage })
const { app } = site
const { store, config } = app
const { client } = site.browser()
await client.auth.login({ email: (await addUser(site)).email, password })
const { languages, pages } = client

/** Pages in English, with German beside it: `home`, `notes`, `notes/one`, `notes/two`. */
beforeEach(async () => {
  for (const table of ['languages', 'page_slugs', 'pages', 'contents', 'history'] as const)
    await store.db.deleteFrom(table).execute()
  await languages.create({ code: 'en' })
  await languages.create({ code: 'de', locale: 'de_DE' })
  await createPage(operatorContext(app), '', { shownReferences: 'all', slug: 'home', title: 'Home', draft: false })
  const notes = await createPage(operatorContext(app), '', {
    shownReferences: 'all',
    slug: 'notes',
    title: 'Notes',
    draft: false,
  })
  for (const slug of ['one', 'two'])
    await createPage(operatorContext(app), notes, {
      shownReferences: 'all',
      slug,
      title: `Note ${slug}`,
      content: { text: 'Words', price: 3 },
      draft: false,
    })
})

const fields = ['id', 'slug', 'title', 'url'] as const
const get = (id: string, language?: string) =>
  pages.get({ id, select: fields, ...(language !== undefined && { language }) })
const rename = (id: string, slug: string, language = 'de') => pages.changeSlug({ id, language }, { slug })
const duplicate = { status: 400, key: 'error.page.duplicate' }

test('title, slug, URL and content have a language; the id has none', async () => {
  expect(await get('notes+one', 'de')).toEqual({
    id: 'notes/one',
    slug: 'one',
    title: 'Note one',
    url: `${config.url}/de/notes/one`,
  })
  await pages.changeTitle({ id: 'notes+one', language: 'de' }, { title: 'Notiz eins' })
  expect(await rename('notes+one', 'Größe eins')).toMatchObject({ id: 'notes/one', slug: 'groesse-eins' })
  await rename('notes', 'notizen')
  await pages.update({ id: 'notes+one', language: 'de' }, { text: 'Wörter', price: 9 })
  expect(await get('notes+one', 'de')).toEqual({
    id: 'notes/one',
    slug: 'groesse-eins',
    title: 'Notiz eins',
    url: `${config.url}/de/notizen/groesse-eins`,
  })
  expect(await get('notes+one')).toEqual({
    id: 'notes/one',
    slug: 'one',
    title: 'Note one',
    url: `${config.url}/en/notes/one`,
  })
  const content = async (language: string) =>
    (await pages.get({ id: 'notes+one', select: 'content', language })).content
  expect(await content('de')).toMatchObject({ text: 'Wörter', price: 3 })
  expect(await content('en')).toMatchObject({ text: 'Words', price: 3 })
})

test('the home page has the URL of the site in each language', async () => {
  expect((await get('home', 'de')).url).toBe(`${config.url}/de`)
  expect((await get('home')).url).toBe(`${config.url}/en`)
  await languages.update({ code: 'de' }, { url: 'https://example.de' })
  await languages.update({ code: 'en' }, { url: '/' })
  expect((await get('home', 'de')).url).toBe('https://example.de')
  expect((await get('notes+one', 'de')).url).toBe('https://example.de/notes/one')
  expect((await get('home')).url).toBe(config.url)
  expect((await get('notes')).url).toBe(`${config.url}/notes`)
})

test('a page is found by its translated slugs in their language only', async () => {
  await rename('notes', 'notizen')
  await rename('notes+one', 'eins')
  for (const id of ['notizen+eins', 'notizen+one', 'notes+eins', 'notes+one'])
    expect((await get(id, 'de')).id).toBe('notes/one')
  expect((await get('notizen+two', 'de')).id).toBe('notes/two')
  for (const id of ['notizen+eins', 'notes+eins', 'notizen'])
    await expect(get(id)).rejects.toMatchObject({ status: 404, key: 'error.page.notFound' })
  for (const id of ['notizen+drei', 'eins', 'notizen+eins+x', 'notizen+', '+notizen', '%00'])
    await expect(get(id, 'de')).rejects.toMatchObject({ status: 404 })
})

test('a slug may have any script, and is never empty', async () => {
  await languages.create({ code: 'ja' })
  expect(await rename('notes', '日本語 の 頁', 'ja')).toMatchObject({ slug: '日本語-の-頁' })
  expect((await get('日本語-の-頁+one', 'ja')).url).toBe(`${config.url}/ja/日本語-の-頁/one`)
  await expect(rename('notes', '❤️ !', 'ja')).rejects.toMatchObject({ status: 400, key: 'error.page.slug.invalid' })
})

test('a slug of a sibling is taken: in its id, or in the same language', async () => {
  await rename('notes+one', 'eins')
  await expect(rename('notes+two', 'eins')).rejects.toMatchObject(duplicate)
  await expect(rename('notes+two', 'one')).rejects.toMatchObject(duplicate)
  await expect(rename('notes+two', 'eins', 'en')).rejects.toMatchObject(duplicate)
  await expect(
    createPage(operatorContext(app), await uuidOf('notes'), { shownReferences: 'all', slug: 'eins' }),
  ).rejects.toMatchObject({
    status: 400,
  })
  await languages.create({ code: 'fr' })
  expect(await rename('notes+two', 'eins', 'fr')).toMatchObject({ slug: 'eins' })
  expect(await rename('notes+one', 'eins')).toMatchObject({ slug: 'eins' })
  expect(await rename('notes', 'one')).toMatchObject({ slug: 'one' })
  await expect(rename('notes', 'home')).rejects.toMatchObject(duplicate)
  await expect(rename('notes', 'panel')).rejects.toMatchObject({ key: 'error.page.changeSlug.reserved' })
})

const uuidOf = async (id: string) => (await pages.get({ id, select: 'uuid' })).uuid.replace('page://', '')
const slugs = () => store.db.selectFrom('page_slugs').select(['language', 'slug']).execute()

test('a translated slug equal to the id is not stored, and follows it', async () => {
  await rename('notes', 'notizen')
  expect(await slugs()).toEqual([{ language: 'de', slug: 'notizen' }])
  await rename('notes', 'notes')
  expect(await slugs()).toEqual([])
  await rename('notes', 'records', 'en')
  expect(await get('records', 'de')).toMatchObject({ slug: 'records', url: `${config.url}/de/records` })
})

test('an unknown language cannot be written; it is read as the default', async () => {
  await expect(rename('notes', 'x', 'xx')).rejects.toMatchObject({ status: 400, key: 'error.language.unknown' })
  await expect(pages.changeTitle({ id: 'notes', language: 'xx' }, { title: 'X' })).rejects.toMatchObject({
    key: 'error.language.unknown',
  })
  expect((await get('notes', 'xx')).url).toBe(`${config.url}/en/notes`)
})

test('a new default language changes no URL and no id', async () => {
  await rename('notes', 'notizen')
  await rename('notes+one', 'eins')
  const before = await Promise.all(['en', 'de'].map(language => get('notes+one', language)))
  await languages.update({ code: 'de' }, { default: true })
  expect(await Promise.all(['en', 'de'].map(language => get('notes+one', language)))).toEqual(before)
  expect(await get('notizen+eins')).toEqual(before[1])
  // Now the id follows the slug of this language again.
  expect(await rename('notes', 'hefte')).toMatchObject({ id: 'hefte', slug: 'hefte' })
  expect((await get('hefte+one')).url).toBe(`${config.url}/de/hefte/eins`)
})

test('slugs are deleted with their language', async () => {
  await rename('notes', 'notizen')
  await languages.delete({ code: 'de' })
  expect(await slugs()).toEqual([])
  await languages.create({ code: 'de' })
  await rename('notes', 'notizen')
  await languages.update({ code: 'de' }, { default: true })
  await languages.delete({ code: 'en' })
  await languages.delete({ code: 'de' })
  expect(await slugs()).toEqual([])
  expect(await get('notes')).toMatchObject({ slug: 'notes', url: `${config.url}/notes` })
})

const statementsFor = (work: () => Promise<unknown>) => readsOf(site, work)

const list = (limit: number) =>
  pages.children.list({ id: 'notes', language: 'de', select: ['slug', 'url', 'title'], limit })
const listed = (select: ('title' | 'slug' | 'url')[]) => () =>
  pages.children.list({ id: 'notes', language: 'en', select })

test('a list in another language takes the same number of statements for many pages as for one', async () => {
  await rename('notes', 'notizen')
  for (let index = 0; index < 20; index++) {
    const uuid = await createPage(operatorContext(app), await uuidOf('notes'), {
      shownReferences: 'all',
      slug: `n${index}`,
      draft: false,
    })
    await store.db
      .insertInto('page_slugs')
      .values({ page: uuid, language: 'de', slug: `nummer-${index}` })
      .execute()
  }
  await list(1)
  const [one, many] = [await statementsFor(() => list(1)), await statementsFor(() => list(100))]
  expect(many).toBe(one)
  const { data } = await list(100)
  expect(data).toContainEqual({ slug: 'nummer-7', title: 'n7', url: `${config.url}/de/notizen/nummer-7` })
  expect(await statementsFor(listed(['title', 'slug', 'url']))).toBe(await statementsFor(listed(['title'])))
})

const otherSite = await createTestApp({ storage })
const { client: second } = otherSite.browser()
await second.auth.login({ email: (await addUser(otherSite)).email, password })

test('of two concurrent requests for one slug one succeeds', async () => {
  for (let round = 0; round < 5; round++) {
    const slug = `gleich-${round}`
    const results = await Promise.allSettled([
      rename('notes+one', slug),
      second.pages.changeSlug({ id: 'notes+two', language: 'de' }, { slug }),
    ])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(results.find(result => result.status === 'rejected')).toMatchObject({ reason: duplicate })
  }
})

test.each<[string, (slug: string, two: string) => Promise<unknown>, string?]>([
  ['made below a page', slug => second.pages.children.create({ id: 'notes' }, { slug })],
  ['made at the top', slug => second.site.children.create({ slug }), 'notes'],
  ['renamed', (slug, id) => second.pages.changeSlug({ id, language: 'en' }, { slug })],
  ['duplicated', (slug, id) => second.pages.duplicate({ id }, { slug })],
  ['moved', (slug, id) => second.pages.move({ id }, { parent: 'notes', slug })],
])('when a slug is given to a page while another one is %s with it, one succeeds', async (_, own, id = 'notes+one') => {
  const two = `@${await uuidOf('notes+two')}`
  for (let round = 0; round < 6; round++) {
    const slug = `beides-${round}`
    const results = await Promise.allSettled([rename(id, slug), own(slug, two)])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const refused = results.find(result => result.status === 'rejected')
    expect(refused!.reason).toMatchObject({
      status: 400,
      key: expect.stringMatching(/^error\.page\.(draft\.)?duplicate$/) as string,
    })
  }
})

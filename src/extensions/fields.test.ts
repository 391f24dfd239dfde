import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBlueprints } from '../../test/blueprints.ts'
import { books } from '../../test/books.ts'
import { createTestApp, createTestStorage, type TestApp, writeBlueprints } from '../../test/harness.ts'
import { addPage, createTokenClient, type TokenClient } from '../../test/pages.ts'
import { exportSite } from '../transfer/export/export.ts'
import { createReport } from '../transfer/export/report.ts'
import { typingsOf } from '../transfer/typings/typings.ts'

const good = '9780306406157'
let site: TestApp
let admin: TokenClient

beforeAll(async () => {
  const storage = await createTestStorage()
  const added = createBlueprints({
    'pages/shelf.yml': 'title: Their shelf\nfields: { number: { extends: fields/number } }',
    'pages/book.yml': 'title: Their book',
    'fields/number.yml': 'type: isbn\nlabel: Their number',
    'blocks/book.yml': 'name: Book\nfields: { number: { type: isbn } }',
    'users/boss.yml': 'title: Boss',
  })
  writeBlueprints(storage.data, {
    'pages/book.yml': `title: Book
fields:
  number: { type: isbn, placeholder: "978…" }
  needed: { type: isbn, prefix: "ISBN ", when: { number: x }, required: true }
  rows: { type: structure, fields: { number: { type: isbn }, place: { type: place } } }
  body: { type: blocks, fieldsets: [book, text] }
  place: { type: place }
  stars: { type: stars, max: 10 }
  series: { type: series }
  torn: { type: fragile }
  note: { type: text }
`,
  })
  const extensions = [books({ blueprints: pathToFileURL(join(added, 'blueprints')) })]
  site = await createTestApp({ storage, settings: { extensions } })
  admin = await createTokenClient(site)
})

let pages = 0
async function createBook(): Promise<string> {
  const slug = `book-${++pages}`
  await addPage(site, '', { slug, template: 'book', status: 'listed' })
  return `pages/${slug}`
}

const contentOf = async (path: string) => (await admin.done('GET', path)).data.content as Record<string, unknown>

test('values are converted and checked when they are saved, published and nested', async () => {
  const book = await createBook()
  expect(await contentOf(book)).toMatchObject({ number: '', needed: '', place: '', stars: '', series: [] })
  const row = { number: '978-0-306-40615-7', place: { lat: 1, lng: 2 } }
  await admin.done('PATCH', book, {
    number: '978 0306 40615 7',
    needed: `ISBN ${good}`,
    rows: [row],
    body: [{ type: 'book', content: { number: '978-0306406157' } }],
    place: { lat: 52.5, lng: 13.4, more: 1 },
    stars: 4,
    series: ['one', 'two'],
  })
  expect(await contentOf(book)).toMatchObject({
    number: good,
    needed: `ISBN ${good}`,
    rows: [{ number: good, place: { lat: 1, lng: 2 } }],
    body: [{ type: 'book', content: { number: good } }],
    place: { lat: 52.5, lng: 13.4 },
    stars: 4,
    series: ['ONE', 'TWO'],
  })
  await admin.done('PATCH', book, { ...(await contentOf(book)), title: 'Same', number: '', place: '' })
  expect(await contentOf(book)).toMatchObject({ number: '', place: '', needed: `ISBN ${good}` })
})

test('what write and check refuse is an error at the field, in the language of the reader', async () => {
  const book = await createBook()
  const messages = async (body: object, who = admin) => {
    const { status, details } = await who.call('PATCH', book, body)
    const found = Object.entries(details).map(([name, one]) => [name, (one as { message: object }).message])
    return [status, Object.fromEntries(found)]
  }
  expect(await messages({ number: 'x' })).toEqual([400, { number: { 'books.notAnIsbn': '"x" is not an ISBN.' } }])
  expect(await messages({ number: 5 })).toEqual([400, { number: { type: expect.any(String) } }])
  expect(await messages({ place: [] })).toEqual([400, { place: { 'books.notAPlace': 'This is not a place.' } }])
  expect(await messages({ number: '9780306406150', stars: 6 })).toEqual([
    400,
    {
      number: { 'books.wrongDigit': 'The last digit does not fit.' },
      stars: { 'books.tooMany': 'At most five stars.' },
    },
  ])
  expect(await messages({ stars: 11 })).toEqual([400, { stars: { max: expect.any(String) } }])
  const german = await createTokenClient(site)
  await german.done('PATCH', 'users/account/language', { language: 'de' })
  expect(await messages({ rows: [{ number: '9780306406150' }] }, german)).toEqual([
    400,
    { rows: { structure: expect.stringContaining('Die letzte Ziffer passt nicht.') } },
  ])
})

test('drafts keep what a rule refuses, and say so', async () => {
  const book = await createBook()
  await admin.done('POST', `${book}/changes/save`, { number: '9780306406150' })
  expect((await admin.done('GET', `${book}/changes`)).data).toMatchObject({
    content: { number: '9780306406150' },
    errors: { number: { message: { 'books.wrongDigit': 'The last digit does not fit.' } } },
  })
  expect((await admin.call('POST', `${book}/changes/publish`)).status).toBe(400)
  await admin.done('POST', `${book}/changes/publish`, { number: good })
  expect(await contentOf(book)).toMatchObject({ number: good })
})

test('filters and sorting use the values that the API shows', async () => {
  const [one, two] = [await createBook(), await createBook()]
  await admin.done('PATCH', one, { needed: good, stars: 3, number: '9783161484100' })
  await admin.done('PATCH', two, { needed: good, stars: 5, number: '9783161484100' })
  const find = async (...filterBy: object[]) => {
    const { data } = await admin.done('POST', 'site/search', {
      filterBy: [{ field: 'number', operator: '==', value: '9783161484100' }, ...filterBy],
      select: ['id'],
    })
    return (data as { id: string }[]).map(({ id }) => `pages/${id}`)
  }
  expect(await find({ field: 'needed', operator: '==', value: `ISBN ${good}` })).toEqual([one, two])
  expect(await find({ field: 'stars', operator: '>', value: 4 })).toEqual([two])
})

test('a stored value that read fails on is broken: the page stays readable and the value is kept', async () => {
  const book = await createBook()
  await admin.done('PATCH', book, { torn: 'read', note: 'other' })
  const broken = { $broken: 'unreadable', length: 4, text: 'read' }
  const content = await contentOf(book)
  expect(content).toMatchObject({ torn: broken, note: 'other' })
  await admin.done('PATCH', book, { ...content, title: 'Torn', note: 'changed' })
  expect(await admin.call('PATCH', book, { torn: 'new' })).toMatchObject({ status: 409, key: 'error.content.broken' })
  expect(await contentOf(book)).toMatchObject({ torn: broken, note: 'changed' })
  expect((await admin.done('GET', 'site/children?view=default')).data).not.toEqual([])
  await admin.done('PATCH', book, { torn: { $overwrite: 'promise' } })
  expect(await contentOf(book)).toMatchObject({ torn: { $broken: 'unreadable', text: 'promise' } })
  expect(site.logged.filter(({ msg }) => msg === 'an extension has failed')).toMatchObject([
    { extension: 'books', part: 'fields.fragile.read', err: { message: 'secret of the program' } },
  ])
})

test.each(['write', 'check', 'async', 'unknown'])(
  'code that fails names the extension at the field: %s',
  async torn => {
    const book = await createBook()
    const part = ['check', 'async'].includes(torn) ? 'check' : 'write'
    const problem = { torn: { message: { extension: `The extension “books” has failed: fields.fragile.${part}` } } }
    expect(await admin.call('PATCH', book, { torn, note: 'x' })).toMatchObject({ status: 400, details: problem })
    if (part === 'check') {
      await admin.done('POST', `${book}/changes/save`, { torn, note: 'x' })
      const { data } = await admin.done('GET', `${book}/changes`)
      expect(data).toMatchObject({ content: { torn, note: 'x' }, errors: problem })
    }
    await admin.done('PATCH', book, { torn: '', note: 'y' })
  },
)

test('forms get the settings of the built-in input', async () => {
  const book = await createBook()
  const { fields } = (await admin.done('GET', `${book}/sections/main-fields`)) as unknown as {
    fields: Record<string, object>
  }
  expect(fields).toMatchObject({
    number: { type: 'text', ownType: 'isbn', placeholder: '978…', counter: true },
    rows: { fields: { number: { type: 'text', ownType: 'isbn' } }, columns: { number: { type: 'text' } } },
    body: { fieldsets: { book: { tabs: { content: { fields: { number: { type: 'text' } } } } } } },
    stars: { type: 'number', ownType: 'stars', max: 10 },
    series: { type: 'tags', ownType: 'series', options: [] },
    place: { type: 'place', ownType: 'place' },
  })
})

test('blueprints of the extension are used where the site has none; roles are refused', async () => {
  const { blueprints } = site.app
  expect([blueprints.page('book').title, blueprints.page('shelf').title]).toEqual(['Book', 'Their shelf'])
  expect(blueprints.page('shelf').fields.get('number')).toMatchObject({ type: 'isbn', label: 'Their number' })
  expect(blueprints.roles()).not.toContain('boss')
  expect(blueprints.problems).toMatchObject([
    {
      file: expect.stringContaining('users/boss.yml'),
      message: 'an extension can only describe blocks, fields, sections, tabs, pages and files',
    },
  ])
  await addPage(site, '', { slug: 'shelf', template: 'shelf' })
  await admin.done('PATCH', 'pages/shelf', { number: '978-0306406157' })
  expect(await contentOf('pages/shelf')).toMatchObject({ number: good })
})

test('the generated types know the values', () => {
  const text = typingsOf(site.app.blueprints)
  for (const line of [
    'number: OrBroken<string>',
    'place: OrBroken<{ lat: number; lng: number }>',
    "stars: OrBroken<number | ''>",
    'series: OrBroken<string[]>',
  ])
    expect(text).toContain(line)
})

const folder = mkdtempSync(join(tmpdir(), 'quoin-own-fields-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the stored value is exported', async () => {
  const book = await createBook()
  await admin.done('PATCH', book, { needed: good, place: { lat: 1, lng: 2 } })
  await exportSite(site.app, { folder, report: createReport() })
  const slug = book.split('/')[1]!
  const [file] = globSync(`content/*${slug}/book.txt`, { cwd: folder })
  const text = readFileSync(join(folder, file!), 'utf8')
  expect(text).toContain(`Needed: ${good}`)
  expect(text).toContain('Place: {"lat":1,"lng":2}')
})

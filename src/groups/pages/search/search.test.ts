import { beforeAll, expect, test } from 'vitest'
import { createTestStorage, createTestApp, type TestApp, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, type TokenClient, createTokenClient } from '../../../../test/pages.ts'
import { describeRole } from '../../../../test/signed-in-user.ts'
import { indexOwners } from '../../../platform/search/search.ts'
import { findFaults } from '../../../cli/check/faults.ts'
import { until } from '../../../../test/until.ts'

const blueprints = {
  'pages/note.yml': 'fields:\n  text: { type: textarea }\n  year: { type: number }',
  'pages/secret.yml': 'fields:\n  text: { type: textarea }\noptions: { list: { reader: false } }',
}
let site: TestApp
let [admin, reader]: TokenClient[] = []
beforeAll(async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, blueprints)
  describeRole(storage, 'reader', 'title: Reader')
  site = await createTestApp({ storage })
  ;[admin, reader] = [await createTokenClient(site), await createTokenClient(site, { role: 'reader' })]
  const pages: [slug: string, title: string, text: string, template?: string][] = [
    ['a-museum', 'Museum', 'A house'],
    ['b-museum-of-tides', 'Museum of tides', 'Water that comes and goes'],
    ['c-the-old-museum', 'The old Museum', 'Closed'],
    ['d-park', 'Park', 'Between the museum and the river: museum, museum'],
    ['e-vault', 'Vault', 'Below the museum', 'secret'],
    ['f-fluss', 'Fluß', 'Größer als die Straße'],
  ]
  for (const [index, [slug, title, text, template = 'note']] of pages.entries())
    await addPage(site, '', { slug, title, template, content: { text, year: 1900 + index }, draft: index === 3 })
})

/** The first letters of the slugs of the results, in their order. */
const foundLetters = async (q: string, who = admin!, parameters = '') => {
  const answer = await who.done('GET', `site/search?q=${encodeURIComponent(q)}&status=all&select=id${parameters}`)
  expect(answer.pagination.total).toBeGreaterThanOrEqual(answer.data.length)
  return lettersOf(answer)
}

const idsIn = ({ data }: { data: unknown }) => (data as { id: string }[]).map(({ id }) => id)

const lettersOf = (answer: { data: unknown }) =>
  idsIn(answer)
    .map(id => id[0])
    .join('')

test('results are ordered: equal title, title prefix, word in the title, word in the text', async () => {
  expect(await foundLetters('museum')).toBe('abcde')
  expect(await foundLetters('  MUSÉUM ')).toBe('abcde')
  expect(await foundLetters('muse')).toBe('abcde')
  expect(await foundLetters('AND')).toBe('bd')
  expect(await foundLetters('museum of')).toBe('bacde')
  expect(await foundLetters('tides park')).toBe('bd')
  expect(await foundLetters('fluss')).toBe('f')
  expect(await foundLetters('grosse, strasse')).toBe('f')
})

test('unlistable pages are not counted', async () => {
  expect(await foundLetters('museum', reader)).toBe('abcd')
  const { pagination } = await reader!.done('GET', 'site/search?q=museum&status=all&limit=2&page=2')
  expect(pagination).toEqual({ page: 2, total: 4, offset: 2, limit: 2 })
  expect(await foundLetters('museum', reader, '&limit=2&page=2')).toBe('cd')
  expect(await reader!.call('GET', 'site/search?q=museum&status=all&limit=2&page=3')).toMatchObject({ status: 404 })
})

test.each([
  '',
  'x',
  '"',
  '*',
  '""""',
  'NEAR(',
  'title:',
  "'; drop table pages --",
  '\u{1f389}\u{1f389}',
  'a'.repeat(1000),
  '%%',
  '\\',
  ':*',
  '-museumless',
  '(',
])('the query %j finds nothing and causes no error', async q => {
  expect(await foundLetters(q)).toBe('')
})

test('written pages are found at once, and deleted ones are not', async () => {
  const uuid = await addPage(site, '', {
    slug: 'x-new',
    title: 'Quokka',
    template: 'note',
    content: { text: 'wombat' },
  })
  expect([await foundLetters('quok'), await foundLetters('wombat')]).toEqual(['x', 'x'])
  await admin!.done('PATCH', 'pages/x-new', { text: 'bandicoot' })
  expect([await foundLetters('bandicoot'), await foundLetters('wombat')]).toEqual(['x', ''])
  await admin!.done('PATCH', 'pages/x-new/slug', { slug: 'y-numbat' })
  expect([await foundLetters('numbat'), await foundLetters('quokka')]).toEqual(['y', 'y'])
  await admin!.done('DELETE', `pages/@${uuid}`)
  expect(await foundLetters('quokka')).toBe('')
  expect((await findFaults(site.app, { thorough: true, progress: () => {} })).faults).toEqual([])
})

/** The same for a search with a body. */
const queryLetters = async (body: object, who = admin!) =>
  lettersOf(await who.done('POST', 'site/search?status=all&select=id', body))

test.each<[body: object, found: string]>([
  [{}, 'abcefd'],
  [{ search: 'museum' }, 'abcde'],
  [{ search: { query: 'museum' }, filterBy: [{ field: 'status', value: 'draft' }] }, 'd'],
  [{ search: 'museum', not: ['a-museum'] }, 'bcde'],
  [{ search: 'museum', limit: 2, sortBy: 'year desc' }, 'ab'],
  [{ search: 'museum', offset: 3 }, 'de'],
  [{ search: { query: 'museu', options: { fields: ['text'] } } }, 'de'],
  [{ filterBy: [{ field: 'year', operator: '>', value: 1903 }] }, 'ef'],
  [{ filterBy: [{ field: 'template', operator: '==', value: 'secret' }] }, 'e'],
  [{ sortBy: 'title desc', limit: 3 }, 'ecd'],
  [{ sortBy: 'status year desc', paginate: { limit: 2, page: 2 } }, 'ec'],
])('POST site/search %j finds %s', async (body, found) => {
  expect(await queryLetters(body)).toBe(found)
})

test('a query returns only listable pages, and has no regular expressions', async () => {
  expect(await queryLetters({}, reader)).toBe('abcfd')
  expect(await queryLetters({ filterBy: [{ field: 'template', value: 'secret' }] }, reader)).toBe('')
  expect(await queryLetters({ search: 'museum', filterBy: [{ field: 'year', operator: '>', value: 0 }] }, reader)).toBe(
    'abcd',
  )
  for (const operator of ['*', '!*'])
    expect(
      await admin!.call('POST', 'site/search', { filterBy: [{ field: 'title', operator, value: '(a+)+$' }] }),
    ).toMatchObject({ status: 400, key: 'error.validation' })
})

test('a common word returns at most 250 results; a filter also searches the rest', async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, blueprints)
  describeRole(storage, 'reader', 'title: Reader')
  const largeSite = await createTestApp({ storage })
  const [adminClient, readerClient] = [
    await createTokenClient(largeSite),
    await createTokenClient(largeSite, { role: 'reader' }),
  ]
  const { store } = largeSite.app
  const numbers = Array.from({ length: 1300 }, (_, index) => index)
  const page = { parent: '', status: 'listed' as const, num: 1, revision: 1, created_at: 0, modified_at: 0 }
  await store.write(async tx => {
    for (let start = 0; start < numbers.length; start += 650) {
      const batch = numbers.slice(start, start + 650)
      const pages = batch.map(number => {
        const id = `z${number}`
        return { ...page, slug: id, path: id, uuid: id, template: number < 200 ? 'note' : 'secret' }
      })
      await tx.insertInto('pages').values(pages).execute()
      const rows = batch.map(number => ({
        owner: `page://z${number}`,
        language: '',
        modified_at: 0,
        data: `{"title":"Z ${number}","text":"plankton"}`,
      }))
      await tx.insertInto('contents').values(rows).execute()
      await indexOwners(store, tx, rows)
    }
  })
  const countFound = async (who: TokenClient, total: number) => {
    const ids: string[] = []
    for (const pageNumber of [1, 2]) {
      const answer = await who.call('GET', `site/search?q=plank&select=id&limit=900&page=${pageNumber}`)
      if (answer.status === 404) break
      ids.push(...idsIn(answer))
      expect(answer.pagination.total).toBe(total)
    }
    return new Set(ids).size
  }
  expect([await countFound(adminClient, 250), await countFound(readerClient, 200)]).toEqual([250, 200])
  expect(idsIn(await adminClient.done('GET', 'site/search?q=Z+1234+plankton&select=id&limit=1'))).toEqual(['z1234'])
  const search = async (body: object) => idsIn(await adminClient.done('POST', 'site/search?select=id', body))
  const with77 = numbers.filter(number => String(number).endsWith('77')).map(number => `z${number}`)
  expect(
    (await search({ search: 'plankton', filterBy: [{ field: 'slug', operator: '$=', value: '77' }] })).toSorted(),
  ).toEqual(with77.toSorted())
  expect(await search({ sortBy: 'title desc', paginate: 3 })).toEqual(['z999', 'z998', 'z997'])
})

test('the search matches the content in the language of the request', async () => {
  const { db } = site.app.store
  const language = { direction: 'ltr' as const, locale: '{}', slugs: '{}', translations: '{}' }
  await db
    .insertInto('languages')
    .values([
      { ...language, code: 'en', key: '', name: 'English', url: '/en', is_default: 1 },
      { ...language, code: 'de', key: 'de', name: 'Deutsch', url: '/de', is_default: 0 },
    ])
    .execute()
  await admin!.done('PATCH', 'pages/d-park?language=de', { text: 'Zwischen museum und Ufer' })
  const inGerman = (q: string) => foundLetters(q, admin, '&language=de')
  expect([await foundLetters('ufer'), await inGerman('ufer')]).toEqual(['', 'd'])
  expect([await foundLetters('between'), await inGerman('between')]).toEqual(['d', ''])
  // Untranslated content is shown and found in the default language.
  expect([await foundLetters('museum'), await inGerman('museum')]).toEqual(['abcde', 'abcde'])
  expect([await inGerman('park'), await inGerman('tides')]).toEqual([
    await foundLetters('park'),
    await foundLetters('tides'),
  ])
  expect((await findFaults(site.app, { thorough: true, progress: () => {} })).faults).toEqual([])
})

test('anonymous clients do not find words of a field that has become private', async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'users/nobody.yml': 'title: Anonymous clients',
    'pages/note.yml': 'fields: { text: { type: textarea } }',
  })
  const publicSite = await createTestApp({ storage })
  await addPage(publicSite, '', { slug: 'plain', template: 'note', content: { text: 'Lighthouse' }, status: 'listed' })
  const total = async () => {
    const answer = await publicSite.request({ method: 'GET', url: '/api/site/search?q=lighthouse' })
    return answer.json<{ pagination: { total: number } }>().pagination.total
  }
  expect([await total(), await total()], 'the second one is cached').toEqual([1, 1])
  const before = publicSite.app.blueprints.version
  publicSite.app.blueprints.watch(() => {})
  writeBlueprints(storage.data, { 'pages/note.yml': 'fields: { text: { type: textarea, private: true } }' })
  await until(() => expect(publicSite.app.blueprints.version).toBeGreaterThan(before))
  expect(await total()).toBe(0)
})

import { beforeAll, expect, test } from 'vitest'
import { createTestStorage, createTestApp, type TestApp, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, type TokenClient, createTokenClient } from '../../../../test/pages.ts'
import { describeRole } from '../../../../test/signed-in-user.ts'
import { removeFromIndex, indexOwners } from '../../../platform/search/search.ts'
import { findFaults } from '../../../cli/check/faults.ts'
import { until } from '../../../../test/until.ts'

let site: TestApp
let [admin, reader]: TokenClient[] = []
beforeAll(async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'pages/note.yml': 'fields:\n  text: { type: textarea }\n  year: { type: number }',
    'pages/secret.yml': 'fields:\n  text: { type: textarea }\noptions: { list: { reader: false } }',
  })
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
  for (const [at, [slug, title, text, template = 'note']] of pages.entries())
    await addPage(site, '', { slug, title, template, content: { text, year: 1900 + at }, draft: at === 3 })
})

const find = async (q: string, who = admin!, more = '') => {
  const { data, pagination } = await who.done(
    'GET',
    `site/search?q=${encodeURIComponent(q)}&status=all&select=id${more}`,
  )
  expect(pagination.total).toBeGreaterThanOrEqual((data as unknown[]).length)
  return (data as { id: string }[]).map(({ id }) => id[0]).join('')
}

test('results are ordered: equal title, title prefix, word in the title, word in the text', async () => {
  expect(await find('museum')).toBe('abcde')
  expect(await find('  MUSÉUM ')).toBe('abcde')
  expect(await find('muse')).toBe('abcde')
  expect(await find('AND')).toBe('bd')
  expect(await find('museum of')).toBe('bacde')
  expect(await find('tides park')).toBe('bd')
  expect(await find('fluss')).toBe('f')
  expect(await find('grosse, strasse')).toBe('f')
})

test('unlistable pages are not counted', async () => {
  expect(await find('museum', reader)).toBe('abcd')
  const { pagination } = await reader!.done('GET', 'site/search?q=museum&status=all&limit=2&page=2')
  expect(pagination).toEqual({ page: 2, total: 4, offset: 2, limit: 2 })
  expect(await find('museum', reader, '&limit=2&page=2')).toBe('cd')
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
  expect(await find(q)).toBe('')
})

test('written pages are found at once, and deleted ones are not', async () => {
  const uuid = await addPage(site, '', {
    slug: 'x-new',
    title: 'Quokka',
    template: 'note',
    content: { text: 'wombat' },
  })
  expect([await find('quok'), await find('wombat')]).toEqual(['x', 'x'])
  await admin!.done('PATCH', 'pages/x-new', { text: 'bandicoot' })
  expect([await find('bandicoot'), await find('wombat')]).toEqual(['x', ''])
  await admin!.done('PATCH', 'pages/x-new/slug', { slug: 'y-numbat' })
  expect([await find('numbat'), await find('quokka')]).toEqual(['y', 'y'])
  await admin!.done('DELETE', `pages/@${uuid}`)
  expect(await find('quokka')).toBe('')
  expect((await findFaults(site.app, { thorough: true, progress: () => {} })).faults).toEqual([])
})

const query = async (body: object, who = admin!) => {
  const { data } = await who.done('POST', 'site/search?status=all&select=id', body)
  return (data as { id: string }[]).map(({ id }) => id[0]).join('')
}

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
])('the query %j', async (body, found) => {
  expect((await query(body)).slice(0, 10)).toBe(found)
})

test('a query returns only listable pages, and has no regular expressions', async () => {
  expect(await query({}, reader)).toBe('abcfd')
  expect(await query({ filterBy: [{ field: 'template', value: 'secret' }] }, reader)).toBe('')
  expect(await query({ search: 'museum', filterBy: [{ field: 'year', operator: '>', value: 0 }] }, reader)).toBe('abcd')
  for (const operator of ['*', '!*'])
    expect(
      await admin!.call('POST', 'site/search', { filterBy: [{ field: 'title', operator, value: '(a+)+$' }] }),
    ).toMatchObject({ status: 400, key: 'error.validation' })
})

test('for a very common word 250 pages are shown, each once; filters inspect the others, too', async () => {
  const { store } = site.app
  const numbers = Array.from({ length: 1300 }, (_, at) => at)
  const page = { parent: '', status: 'listed' as const, num: 1, revision: 1, created_at: 0, modified_at: 0 }
  await store.write(async tx => {
    for (let start = 0; start < numbers.length; start += 650) {
      const batch = numbers.slice(start, start + 650)
      const pages = batch.map((at, index) => ({
        slug: `z${at}`,
        path: `z${at}`,
        uuid: `z${at}`,
        template: start + index < 200 ? 'note' : 'secret',
      }))
      await tx
        .insertInto('pages')
        .values(pages.map(one => ({ ...page, ...one })))
        .execute()
      const rows = batch.map(at => ({
        owner: `page://z${at}`,
        language: '',
        modified_at: 0,
        data: `{"title":"Z ${at}","text":"plankton"}`,
      }))
      await tx.insertInto('contents').values(rows).execute()
      await indexOwners(store, tx, rows)
    }
  })
  const all = async (who: TokenClient, more = '') => {
    const ids: string[] = []
    for (const at of [1, 2]) {
      const path = `site/search?q=plank${more}&select=id&limit=900&page=${at}`
      const { data, pagination, status } = await who.call('GET', path)
      if (status === 404) break
      ids.push(...(data as { id: string }[]).map(({ id }) => id))
      expect(pagination.total).toBe(who === admin ? 250 : 200)
    }
    return new Set(ids).size
  }
  expect([await all(admin!), await all(reader!)]).toEqual([250, 200])
  expect(await find('Z 1234 plankton', admin, '&limit=1')).toBe('z')
  expect((await query({ search: 'plankton', filterBy: [{ field: 'slug', operator: '$=', value: '77' }] })).length).toBe(
    13,
  )
  await admin!.done('POST', 'site/search', { sortBy: 'title desc', paginate: 5 })
  await store.write(async tx => {
    await removeFromIndex(
      store,
      tx,
      numbers.map(at => `page://z${at}`),
    )
    await tx
      .deleteFrom('contents')
      .where(
        'owner',
        'in',
        numbers.map(at => `page://z${at}`),
      )
      .execute()
    await tx
      .deleteFrom('pages')
      .where(
        'uuid',
        'in',
        numbers.map(at => `z${at}`),
      )
      .execute()
  })
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
  const inGerman = (q: string) => find(q, admin, '&language=de')
  expect([await find('ufer'), await inGerman('ufer')]).toEqual(['', 'd'])
  expect([await find('between'), await inGerman('between')]).toEqual(['d', ''])
  // Untranslated content is shown and found in the default language.
  expect([await find('museum'), await inGerman('museum')]).toEqual(['abcde', 'abcde'])
  expect([await inGerman('park'), await inGerman('tides')]).toEqual([await find('park'), await find('tides')])
  expect((await findFaults(site.app, { thorough: true, progress: () => {} })).faults).toEqual([])
})

test('strangers do not find words of a field that has become private', async () => {
  const storage = await createTestStorage()
  writeBlueprints(storage.data, {
    'users/nobody.yml': 'title: Strangers',
    'pages/note.yml': 'fields: { text: { type: textarea } }',
  })
  const open = await createTestApp({ storage })
  await addPage(open, '', { slug: 'plain', template: 'note', content: { text: 'Lighthouse' }, status: 'listed' })
  const total = async () => {
    const answer = await open.request({ method: 'GET', url: '/api/site/search?q=lighthouse' })
    return answer.json<{ pagination: { total: number } }>().pagination.total
  }
  expect([await total(), await total()]).toEqual([1, 1])
  const before = open.app.blueprints.version
  open.app.blueprints.watch(() => {})
  writeBlueprints(storage.data, { 'pages/note.yml': 'fields: { text: { type: textarea, private: true } }' })
  await until(() => expect(open.app.blueprints.version).toBeGreaterThan(before))
  expect(await total()).toBe(0)
})

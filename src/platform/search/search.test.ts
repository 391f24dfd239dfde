import { beforeAll, expect, test } from 'vitest'
import { createTestApp, engine, type TestApp } from '../../../test/harness.ts'
import { dump } from '../../../test/dump.ts'
import { createId } from '../lib/id.ts'
import { selectSearches, selectStored } from './queries.ts'
import {
  compareWithIndex,
  removeFromIndex,
  removeLanguageFromIndex,
  indexOwners,
  childrenPlace,
  renameLanguage,
} from './search.ts'
import { parseQuery } from './words.ts'

let site: TestApp
beforeAll(async () => {
  site = await createTestApp()
})

interface Page {
  path: string
  parent?: string
  texts: Record<string, Record<string, string>>
}

/** Inserts directly into the store, because only search is tested here. Returns the uuid. */
async function put({ path, parent = '', texts }: Page, uuid = createId()): Promise<string> {
  const { store } = site.app
  await store.write(async tx => {
    const page = { parent, path, slug: path, status: 'listed' as const, num: 1, template: 'note', modified_at: 0 }
    await tx
      .insertInto('pages')
      .values({ uuid, ...page, revision: 1, created_at: 0 })
      .onConflict(conflict => conflict.column('uuid').doUpdateSet(page))
      .execute()
    const owner = `page://${uuid}`
    await tx.deleteFrom('contents').where('owner', '=', owner).execute()
    for (const [language, content] of Object.entries(texts))
      await tx
        .insertInto('contents')
        .values({ owner, language, data: JSON.stringify(content), modified_at: 0 })
        .execute()
    await indexOwners(store, tx, [{ owner }])
  })
  return uuid
}

/** The paths and points that a query finds in the engine. */
async function ask(question: string, place?: string): Promise<Record<string, number>> {
  const { store } = site.app
  const parsed = parseQuery(question)
  const found: Record<string, number> = {}
  for (const { ids, query: text, points } of parsed
    ? await selectSearches(store, parsed, { place, limit: 1000 })
    : []) {
    const rows = (await store.read({
      sql: `select pages.path from (${ids(engine === 'postgres' ? '$1' : '?')}) as found
        join search_rows on search_rows.id = found.id join pages on pages.uuid = search_rows.page`,
      parameters: [text],
    } as never)) as { path: string }[]
    for (const { path } of rows) found[path] = (found[path] ?? 0) + points
  }
  return found
}

test('both engines find the same in every script', async () => {
  const texts: Record<string, string> = {
    'tide-machine': 'The museum shows how the tide was told. Don’t miss it.',
    strasse: 'Eine große Straße in Łódź; Öffnungszeiten: 10–18 Uhr',
    nihon: '東京都の博物館。カタカナ ﾊﾝｶｸ',
    hangul: '한국어 박물관',
    cyrillic: 'Музей Ёлки',
    greek: 'Το μουσείο της Οδύσσειας',
    arabic: 'مُتْحَف القاهرة',
    hebrew: 'מוזיאון ישראל',
    thai: 'พิพิธภัณฑ์กรุงเทพ',
    hindi: 'संग्रहालय दिल्ली',
    markup: '<p>A <strong>mu</strong>seum&nbsp;of <em>nothing</em></p>',
    blocks: JSON.stringify([{ type: 'text', content: { text: 'Quoted \\"words\\"\nand lines' } }]),
    'near-or': 'near or and not title',
  }
  for (const [path, text] of Object.entries(texts)) await put({ path, texts: { '': { title: `T ${path}`, text } } })
  const questions: Record<string, Record<string, number>> = {
    muse: { 'tide-machine': 1, markup: 1 },
    'MUSEUM, tide': { 'tide-machine': 66, markup: 1 },
    'tide-mach': { 'tide-machine': 64 },
    grosse: { strasse: 1 },
    Straße: { strasse: 65 },
    lodz: { strasse: 1 },
    offnungs: { strasse: 1 },
    '10': { strasse: 1 },
    東京: { nihon: 1 },
    京都の博: { nihon: 1 },
    東京博: {},
    ハンカク: { nihon: 1 },
    '東 館': { nihon: 2 },
    박물: { hangul: 1 },
    МУЗ: { cyrillic: 1 },
    елки: { cyrillic: 1 },
    ΜΟΥΣΕΙΟ: { greek: 1 },
    متحف: { arabic: 1 },
    ישר: { hebrew: 1 },
    กรุงเทพ: { thai: 1 },
    दिल्ली: { hindi: 1 },
    strong: {},
    nbsp: {},
    nlines: {},
    lines: { blocks: 1 },
    content: {},
    'near(': { 'near-or': 65 },
    'NEAR("a b", 2) OR NOT *': { 'near-or': 65 + 65 + 1, markup: 1 },
    'title : x': { 'near-or': 1 },
    "it's": { 'tide-machine': 1 },
    "tide' | 'x": { 'tide-machine': 65 },
    'tide & !museum \\ <-> :*': { 'tide-machine': 66, markup: 1 },
    '\0tide\0': { 'tide-machine': 65 },
    '🎉🎉': {},
    a: {},
    '': {},
    [`tide ${'x'.repeat(100_000)}`]: { 'tide-machine': 65 },
    '%_': {},
  }
  for (const [question, found] of Object.entries(questions))
    expect({ question: question.slice(0, 50), found: await ask(question) }).toEqual({
      question: question.slice(0, 50),
      found,
    })
})

test('a long prefix of many words', async () => {
  for (let at = 0; at < 4; at++) {
    const text = Array.from({ length: 12 }, (_, word) => `interfix${at}x${word}`).join(' ')
    await put({ path: `inter${at}`, texts: { '': { title: 'Many', text } } })
  }
  expect(await ask('interfix')).toEqual({ inter0: 1, inter1: 1, inter2: 1, inter3: 1 })
  expect(await ask('interfix2x1')).toEqual({ inter2: 1 })
  expect(await ask('int')).toEqual({ inter0: 65, inter1: 65, inter2: 65, inter3: 65 })
})

test('a search below one page', async () => {
  const top = await put({ path: 'garden', texts: { '': { title: 'Garden' } } })
  await put({ path: 'garden/rose', parent: top, texts: { '': { title: 'Rose', text: 'garden plants' } } })
  expect(await ask('garden')).toEqual({ garden: 64, 'garden/rose': 65 })
  expect(await ask('garden', childrenPlace(top))).toEqual({ 'garden/rose': 65 })
  expect(await ask('garden', childrenPlace(''))).toEqual({ garden: 64 })
})

test('the index follows replaced texts, languages and pages', async () => {
  const uuid = await put({ path: 'lamp', texts: { '': { title: 'Lamp', text: 'oil' }, de: { title: 'Leuchte' } } })
  expect([await ask('oil'), await ask('leuchte')]).toEqual([{ lamp: 1 }, { lamp: 64 }])
  await put({ path: 'lamp', texts: { '': { title: 'Lamp', text: 'gas' }, de: { title: 'Leuchte' } } }, uuid)
  expect([await ask('oil'), await ask('gas')]).toEqual([{}, { lamp: 1 }])

  const { store } = site.app
  await store.write(tx => renameLanguage(tx, 'de', 'at'))
  expect(await ask('leuchte')).toEqual({ lamp: 64 })
  await store.write(tx => removeLanguageFromIndex(store, tx, 'at'))
  expect([await ask('leuchte'), await ask('gas')]).toEqual([{}, { lamp: 1 }])
  await put({ path: 'lamp', texts: {} }, uuid)
  expect(await ask('gas')).toEqual({})
  await put({ path: 'lamp', texts: { '': { title: 'Lamp' } } }, uuid)
  await store.write(tx => removeFromIndex(store, tx, [`page://${uuid}`]))
  expect(await ask('lamp')).toEqual({})
  await put({ path: 'lamp', texts: {} }, uuid)
})

test('a text of 100 KB is indexed', async () => {
  const text = Array.from({ length: 15_000 }, (_, at) => `w${at.toString(36)}`).join(' ')
  await put({ path: 'long', texts: { '': { title: 'Long', text } } })
  expect(await ask('wb0')).toEqual({ long: 1 })
})

/** Row ids are given in the order of writing; all else must be the same. */
async function indexed() {
  const { search_rows, search_index, search_terms } = await dump(site)
  const rows = search_rows!.map(row => JSON.parse(row) as { id: number; owner: string; language: string })
  const names = new Map(rows.map(({ id, owner, language }) => [id, `${owner} ${language}`]))
  const named = (lines: string[], key: string) =>
    lines
      .map(line => JSON.parse(line) as Record<string, unknown>)
      .map(({ [key]: id, ...rest }) => `${names.get(id as number)} ${JSON.stringify(rest)}`)
      .toSorted()
  return {
    rows: named(search_rows!, 'id'),
    words: search_terms ? named(search_terms, 'doc') : named(search_index!, 'id'),
  }
}

test('after any changes the index equals a rebuilt one', async () => {
  const words = ['oak', 'ash', 'elm', 'yew', 'fir', '松', 'Ölbaum']
  let seed = 7
  const random = (limit: number) => (seed = (seed * 48_271) % 2_147_483_647) % limit
  const some = () => Array.from({ length: random(6) }, () => words[random(words.length)]).join(' ')
  const uuids = await Promise.all(
    Array.from({ length: 10 }, (_, at) => put({ path: `tree${at}`, texts: { '': { title: some() } } })),
  )
  const { store } = site.app
  for (let round = 0; round < 80; round++) {
    const uuid = uuids[random(10)]!
    if (random(5) === 0) {
      await store.write(async tx => {
        await tx.deleteFrom('contents').where('owner', '=', `page://${uuid}`).execute()
        await removeFromIndex(store, tx, [`page://${uuid}`])
      })
      continue
    }
    const texts = Object.fromEntries(
      ['', 'de', 'fr'].slice(0, 1 + random(3)).map(key => [key, { title: some(), text: some() }]),
    )
    await put({ path: `tree${uuids.indexOf(uuid)}`, texts }, uuid)
  }
  const grown = await indexed()
  const owners = (await store.db.selectFrom('contents').select('owner').distinct().execute()).map(({ owner }) => owner)
  expect(await compareWithIndex(await selectStored(store, store.db, owners))).toMatchObject({
    changed: [],
    orphanedIds: [],
  })
  await store.write(async tx => {
    await removeFromIndex(store, tx, owners)
    await indexOwners(
      store,
      tx,
      owners.map(owner => ({ owner })),
    )
  })
  expect(await indexed()).toEqual(grown)
})

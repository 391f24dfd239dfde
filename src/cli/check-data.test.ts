import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestApp, engine, type TestApp } from '../../test/harness.ts'
import { createTokenClient } from '../../test/pages.ts'
import { createSite, quoin, type Site } from '../../test/program.ts'
import { claimBlob } from '../platform/media/blobs.ts'
import { indexOwners } from '../platform/search/search.ts'
import { findFaults } from './check/faults.ts'
import { repair } from './check/repair.ts'

let programSite: Site
let site: TestApp
let hash: string
beforeAll(async () => {
  programSite = await createSite()
  site = await createTestApp({ storage: programSite.storage })
})

const run = (text: string) => sql.raw(text).execute(site.app.store.db)

/** Inserts directly into the store: a page, a child, a file with its blob, and an unused blob. */
beforeEach(async () => {
  const { app } = site
  const tables = ['search_rows', 'history', 'changes', 'contents', 'schedules', 'page_slugs', 'files', 'blobs', 'pages']
  for (const table of [...tables, 'page_counts', 'links', 'languages', 'redirects', 'page_successors'])
    await run(`delete from ${table}`)
  await run('delete from search_index')
  for await (const old of app.media.list()) await app.media.remove(old)
  hash = await storeBytes('a file')
  await storeBytes('left behind')
  const page = { status: 'listed', num: 1, template: 'note', revision: 1, created_at: 0, modified_at: 0 } as const
  const pages = [
    { ...page, uuid: 'top', parent: '', path: 'top', slug: 'top' },
    { ...page, uuid: 'sub', parent: 'top', path: 'top/sub', slug: 'sub' },
  ]
  await app.store.write(async tx => {
    await tx.insertInto('pages').values(pages).execute()
    const file = {
      filename: 'a.txt',
      name_key: 'a.txt',
      name_order: 'a.txt',
      extension: 'txt',
      type: null,
      mime: 'text/plain',
      template: null,
    }
    const more = { sort: null, width: null, height: null, revision: 1, created_at: 0, modified_at: 0, stored_at: 0 }
    await tx
      .insertInto('files')
      .values({ ...file, ...more, uuid: 'note', parent: 'page://top', size: 6, hash })
      .execute()
    await tx.updateTable('blobs').set({ unused_since: null }).where('hash', '=', hash).execute()
    const data = JSON.stringify({ title: 'Title', text: 'Some words' })
    const owners = ['page://top', 'page://sub', 'file://note'].map(owner => ({ owner }))
    const row = { language: '', data, modified_at: 0 }
    await tx
      .insertInto('contents')
      .values(owners.map(owner => ({ ...owner, ...row })))
      .execute()
    await indexOwners(app.store, tx, owners)
  })
})

const redirect = (path: string, rest: string, language = '') =>
  `insert into redirects (language, path, page, target, is_automatic, created_at, modified_at)
   values ('${language}', '${path}', ${rest}, 0, 0)`

test('consistent data has no faults', async () => {
  expect(await findFaults(site.app, options)).toEqual({ faults: [], unused: 1, notes: [] })
})

async function storeBytes(text: string): Promise<string> {
  const { app } = site
  const received = await app.media.receive(chunks(text), 1000)
  await claimBlob(app, received.hash, received.size)
  await received.keep()
  return received.hash
}

async function* chunks(text: string) {
  yield Buffer.from(text)
}

const options = { thorough: true, progress: () => {} }
const blobPath = (name: string) => join(site.storage.data, 'media', name.slice(0, 2), name)

async function faultsNow(): Promise<string[]> {
  return (await findFaults(site.app, options)).faults.map(({ kind, message }) => `${kind}: ${message}`)
}

const withoutWords =
  engine === 'sqlite' ? 'delete from search_index where rowid in' : 'delete from search_index where id in'
const words =
  engine === 'sqlite'
    ? "insert or replace into search_index (rowid, heavy, light, place) select id, 'title', 'other', '' from search_rows where page = 'top'"
    : "update search_index set words = array_to_tsvector('{atitle}') where id in (select id from search_rows where page = 'top')"
const moreWords =
  engine === 'sqlite'
    ? "insert or replace into search_index (rowid, heavy, light, place) select id, 'title top', 'some words more', 'in' from search_rows where page = 'top'"
    : "update search_index set words = words || array_to_tsvector('{bmore}') where id in (select id from search_rows where page = 'top')"
const stray =
  engine === 'sqlite'
    ? "insert into search_index (rowid, heavy, light, place) values (99999, 'x', 'y', 'z')"
    : "alter table search_index drop constraint if exists search_index_id_fkey; insert into search_index (id, words) values (99999, array_to_tsvector('{ax}'))"
const languageWithoutDefault = `insert into languages (code, key, name, direction, locale, url, slugs, translations, is_default)
  values ('en', '', 'English', 'ltr', '{}', '', '{}', '{}', 0)`
const insert = {
  contents: "insert into contents (owner, language, data, modified_at) values ('page://gone', '', '{}', 0)",
  changes: "insert into changes (owner, language, data, modified_at) values ('page://gone', '', '{}', 0)",
  history:
    "insert into history (owner, language, revision, action, time, data) values ('file://gone', '', 1, 'x', 0, '{}')",
  strange: "insert into contents (owner, language, data, modified_at) values ('thing', '', '{}', 0)",
  row: "insert into search_rows (owner, language, page, title_key, digest) values ('page://gone', '', 'gone', '', '')",
}

test.each<[what: string, broken: string, messages: RegExp[], repaired: boolean]>([
  [
    'a parent that is missing',
    "update pages set parent = 'gone' where uuid = 'sub'",
    [/tree: page top\/sub is below page:\/\/gone/],
    false,
  ],
  [
    'another path',
    "update pages set path = 'elsewhere' where uuid = 'sub'",
    [/tree: page elsewhere should be at top\/sub/],
    false,
  ],
  [
    'counts of pages',
    "update page_counts set count = 7 where parent = ''",
    [/counts: page_counts says 7 of “ note listed”, there are 1/],
    true,
  ],
  [
    'a count too many',
    "insert into page_counts (parent, template, status, count) values ('x', 'y', 'draft', 2)",
    [/says 2 of “x y draft”, there are 0/],
    true,
  ],
  [
    'counts of accounts',
    "insert into user_counts (role, count) values ('ghost', 3)",
    [/user_counts says 3 of “ghost”/],
    true,
  ],
  ['contents of a missing page', insert.contents, [/owners: 1 in contents of page:\/\/gone/], true],
  ['contents of an unknown kind of owner', insert.strange, [/owners: 1 in contents of thing/], true],
  ['changes of a missing page', insert.changes, [/owners: 1 in changes of page:\/\/gone/], true],
  ['history of a missing file', insert.history, [/owners: 1 in history of file:\/\/gone/], true],
  [
    'files of a missing account',
    "update files set parent = 'user://gone'",
    [/owners: 1 in files of user:\/\/gone/],
    true,
  ],
  ['a row of the search index without an owner', insert.row, [/owners: 1 in search_rows of page:\/\/gone/], true],
  [
    'content that the index does not have',
    'update contents set data = \'{"title":"New"}\' where owner = \'page://top\'',
    [/search: page:\/\/top has a missing or outdated entry in the search index/],
    true,
  ],
  [
    'a row that is missing',
    "delete from search_rows where owner = 'file://note'",
    [/search: file:\/\/note has a missing or outdated entry/],
    true,
  ],
  [
    'words that are missing',
    `${withoutWords} (select id from search_rows where page = 'sub')`,
    [/page:\/\/sub has other words/],
    true,
  ],
  ['other words', words, [/search: page:\/\/top has other words/], true],
  ['more words', moreWords, [/search: page:\/\/top has other words/], true],
  ['words without a row', stray, [/search: the index has words for row 99999, which does not exist/], true],
  [
    'a link that the content does not have',
    "insert into links (target, owner, language, source) values ('file://other', 'page://top', '', 'contents')",
    [/links: page:\/\/top has outdated references/],
    true,
  ],
  [
    'a link of a missing page',
    "insert into links (target, owner, language, source) values ('file://other', 'page://gone', '', 'changes')",
    [/links: page:\/\/gone has outdated references/],
    true,
  ],
  ['no default language', languageWithoutDefault, [/languages: 0 languages are the default one/], false],
  [
    'an invalid language',
    "update contents set language = 'xx' where owner = 'page://sub'",
    [/languages: contents has rows in “xx”/],
    false,
  ],
  [
    'bytes that are marked as unused',
    'update blobs set unused_since = 1',
    [/a\.txt: its bytes are marked as unused/],
    false,
  ],
  [
    'bytes without a row in `blobs`',
    'delete from blobs where unused_since is null',
    [/a\.txt: its bytes have no row in the table blobs/, /bytes \w+ belong to nothing/],
    false,
  ],
  [
    'bytes that no file has',
    'update blobs set unused_since = null',
    [/are marked as used, but no file has them/],
    true,
  ],
  ['another size', 'update files set size = 5', [/a\.txt: has 6 bytes instead of 5/], false],
  [
    'a redirect to a page that is gone',
    redirect('old', "'nowhere', null, 1"),
    [/from old .*page:\/\/nowhere, which does not exist/],
    true,
  ],
  ['a redirect by hand to a page that is gone', redirect('old', "'nowhere', null, 0"), [/page:\/\/nowhere/], false],
  [
    'a redirect from the address of a page',
    redirect('top/sub', "'top', null, 1"),
    [/from top\/sub .*a published page has/],
    true,
  ],
  ['a redirect from an invalid path', redirect('a//b', "'top', null, 1"), [/from a\/\/b .*has an invalid path/], true],
  ['a redirect without a target', redirect('old', 'null, null, 1'), [/must lead to either a page or an address/], true],
  [
    'a redirect to an invalid address',
    redirect('old', "null, '//example.com', 0", '*'),
    [/leads to no valid address/],
    false,
  ],
  [
    'a redirect in an unknown language',
    redirect('old', "'top', null, 1", 'xx'),
    [/has a language that does not exist/],
    true,
  ],
  [
    'a former URL that leads to a page',
    redirect('/de', "'top', null, 1"),
    [/although it stands for a former URL/],
    true,
  ],
  [
    'redirects in a circle',
    `${redirect('a', "null, '/b', 0", '*')}; ${redirect('b', "null, '/c', 0", '*')}; ${redirect('c', "null, '/a', 0", '*')}`,
    [/from a .*leads back/, /from b .*leads back/, /from c .*leads back/],
    false,
  ],
  [
    'a chain of successors',
    "insert into page_successors values ('one', 'two'); insert into page_successors values ('two', 'top')",
    [/successor of page:\/\/one is page:\/\/two, which has another successor/],
    true,
  ],
  [
    'a successor that is gone',
    "insert into page_successors values ('one', 'two')",
    [/two, which does not exist/],
    true,
  ],
])('%s is reported, and repaired where that is possible', async (_, broken, messages, isRepaired) => {
  for (const part of broken.split('; ')) await run(part)
  const faults = await faultsNow()
  for (const line of messages) expect(faults).toContainEqual(expect.stringMatching(line))
  await repairAll()
  const left = await faultsNow()
  if (isRepaired) expect(left).toEqual([])
  else expect(left).toContainEqual(expect.stringMatching(messages[0]!))
})

async function repairAll(): Promise<void> {
  await repair(site.app, (await findFaults(site.app, options)).faults)
}

test('valid redirects are not reported', async () => {
  await run("insert into page_successors values ('deleted', 'top')")
  for (const part of [
    redirect('old', "'top', null, 1"),
    redirect('older', "'deleted', null, 1"),
    redirect('top/sub', "null, '/top', 0", '*'), // the page takes precedence
    redirect('one', "null, '/two', 0", '*'),
    redirect('two', "null, 'https://example.com/?a=b', 0", '*'),
    redirect('/de', 'null, null, 1'),
    redirect('https://example.de', 'null, null, 1'),
  ])
    await run(part)
  expect(await faultsNow()).toEqual([])
})

test.runIf(engine === 'sqlite')('a damaged SQLite file is reported before anything else, with its tables', async () => {
  const { folder, storage, environment } = await createSite()
  const otherSite = await createTestApp({ storage })
  const { db } = otherSite.app.store
  const rows = Array.from({ length: 200 }, (_, number) => ({
    uuid: `page-${number}`,
    path: `page-${number}`,
    slug: `page-${number}`,
    parent: '',
    template: 'note'.repeat(50),
    status: 'draft' as const,
    num: null,
    revision: 1,
    created_at: 0,
    modified_at: 0,
  }))
  await db.insertInto('pages').values(rows).execute()
  const { rows: found } = await sql<{ rootpage: number; size: number }>`
    select rootpage, (select page_size from pragma_page_size) as size from sqlite_master where name = 'pages'`.execute(
    db,
  )
  await otherSite.close()
  const check = () => quoin(['check', folder, '--data'], { environment })
  expect((await check()).code).toBe(0)
  const file = join(storage.data, 'quoin.db')
  const stored = readFileSync(file)
  const { rootpage, size } = found[0]!
  stored.fill(0xff, (rootpage - 1) * size + 8, rootpage * size)
  writeFileSync(file, stored)
  const damaged = await check()
  expect(damaged.code).toBe(1)
  expect(damaged.stdout).toMatch(/quoin\.db is damaged, in .*\bpages\b/)
  expect(damaged.stdout).toContain('quoin restore')

  // The server notices it when it reads what is damaged.
  const served = await createTestApp({ storage })
  const admin = await createTokenClient(served)
  const ready = async () => (await served.request({ url: '/health/ready' })).statusCode
  expect(await ready()).toBe(200)
  expect((await admin.call('GET', 'pages/page-1')).status).toBe(503)
  expect(await ready()).toBe(503)
})

test('missing and damaged blobs are reported', async () => {
  writeFileSync(blobPath(hash), 'a fool')
  expect(await faultsNow()).toEqual(['media: page://top/a.txt: its bytes are damaged'])
  expect((await findFaults(site.app, { ...options, thorough: false })).faults).toEqual([])
  rmSync(blobPath(hash))
  expect(await faultsNow()).toEqual(['media: page://top/a.txt: its bytes are missing'])
})

const check = (...args: string[]) =>
  quoin(['check', programSite.folder, '--data', ...args], { environment: programSite.environment })

test('the command prints one line per fault, and repairs', async () => {
  const clean = await check()
  expect(clean).toMatchObject({ code: 0, stderr: '' })
  expect(clean.stdout).toBe(
    'The blueprints are in order.\nBytes that no file uses and that will be swept: 1.\nThe data is in order.\n',
  )
  for (let at = 0; at < 120; at++) await run(insert.changes.replace('gone', `gone${at}`))
  const wrong = await check()
  expect(wrong.code).toBe(1)
  expect(wrong.stdout.match(/^owners: 1 in changes of/gm)).toHaveLength(100)
  expect(wrong.stdout).toContain('owners: and 20 more\n')
  const repaired = await check('--repair', '--json')
  expect(repaired.code).toBe(0)
  expect(JSON.parse(repaired.stdout)).toEqual({
    status: 'ok',
    problems: [],
    data: { faults: [], repaired: 120, unused: 1, notes: [] },
  })
})

test('--repair is refused without --data', async () => {
  const { code, stderr } = await quoin(['check', programSite.folder, '--repair'])
  expect(code).toBe(2)
  expect(stderr).toContain('for --data')
})

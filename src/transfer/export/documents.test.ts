import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesIn, folderOf, importFrom, write } from '../../../test/folders.ts'
import { createTestApp, type TestApp } from '../../../test/harness.ts'
import { findFaults } from '../../cli/check/faults.ts'
import { repair } from '../../cli/check/repair.ts'
import { defineExtension, documents, z } from '../../index.ts'
import { exportSite } from './export.ts'
import { createReport } from './report.ts'

const subscribers = documents('subscribers', {
  value: z.strictObject({ email: z.string(), list: z.string(), text: z.string().optional() }),
  index: ['email', 'list'],
})
const settings = { extensions: [defineExtension({ name: 'newsletter', store: [subscribers] })] }
const open = (isLoaded = true) => createTestApp({ settings: isLoaded ? settings : {}, quiet: true })

const row = (key: string, value: object, index: [string | null, string | null] = [null, null]) => ({
  extension: 'newsletter',
  collection: 'subscribers',
  key,
  value: JSON.stringify(value),
  index_1: index[0],
  index_2: index[1],
  index_3: null,
  version: 3,
  created_at: 1_700_000_000_000,
  modified_at: 1_700_000_001_000,
})
const ada = row('ada@example.org', { email: 'ada@example.org', list: 'news' }, ['ada@example.org', 'news'])

const add = async ({ app }: TestApp, ...rows: object[]) =>
  app.store.write(
    async tx =>
      void (await tx
        .insertInto('documents')
        .values(rows as never)
        .execute()),
  )
const stored = ({ app }: TestApp) =>
  app.store.db.selectFrom('documents').selectAll().orderBy('collection').orderBy('key').execute()
const faultsOf = ({ app }: TestApp) => findFaults(app, { thorough: false, progress: () => {} })

async function exported({ app }: TestApp, folder = folderOf({})) {
  const report = createReport()
  await exportSite(app, { folder, report })
  return { folder, report }
}

test('documents are exported, also of an extension that is not loaded, and imported unchanged', async () => {
  const first = await open()
  const large = 'ü'.repeat(900_000)
  const many = Array.from({ length: 3 }, (_, at) => {
    const value = { email: `${at}`, list: 'large', text: large }
    return row(`large-${at}`, value, [`${at}`, 'large'])
  })
  const foreign = { ...row('x/../y "', { any: ['thing'] }, ['one', null]), extension: 'gone', collection: 'things' }
  await add(first, ada, foreign, ...many)
  const { folder, report } = await exported(first)
  expect(report.counts.documents).toBe(5)
  const names = Object.keys(filesIn(folder)).filter(name => name.startsWith('site/documents'))
  expect(names).toEqual([
    'site/documents/gone/things-1.jsonl',
    'site/documents/newsletter/subscribers-1.jsonl',
    'site/documents/newsletter/subscribers-2.jsonl',
  ])
  expect(statSync(join(folder, 'site/documents')).mode & 0o077).toBe(0)

  const second = await open()
  expect((await importFrom(second, folder, { dryRun: true })).counts.documents.imported).toBe(5)
  expect(await stored(second)).toEqual([])
  const { counts, notes } = await importFrom(second, folder)
  expect(counts.documents).toEqual({ imported: 5, updated: 0, unchanged: 0 })
  expect(notes.filter(({ file }) => file.includes('site/documents'))).toEqual([
    { file: 'site/documents/gone', reason: expect.stringContaining('not loaded') as string },
  ])
  expect(await stored(second)).toEqual(await stored(first))
  expect(await faultsOf(second)).toMatchObject({ faults: [], notes: [expect.stringContaining('gone/things')] })

  // Again: the folder wins over what differs.
  await second.app.store.db.updateTable('documents').set({ value: '{}' }).where('key', '=', ada.key).execute()
  expect((await importFrom(second, folder)).counts.documents).toEqual({ imported: 0, updated: 1, unchanged: 4 })
  expect(await stored(second)).toContainEqual({ ...ada, version: 4, modified_at: expect.any(Number) as number })

  const unloaded = await open(false)
  expect((await importFrom(unloaded, folder)).counts.documents.imported).toBe(5)
  expect(await stored(unloaded)).toEqual(await stored(first))
  expect((await exported(unloaded)).report.counts.documents).toBe(5)
  const { faults, notes: unchecked } = await faultsOf(unloaded)
  expect([faults, unchecked.length]).toEqual([[], 2])
})

const line = (change: object) =>
  JSON.stringify({
    key: 'a',
    value: { email: 'a', list: 'b' },
    version: 1,
    created: '2026-01-01T00:00:00.000Z',
    modified: '2026-01-01T00:00:00.000Z',
    index: [null, null, null],
    ...change,
  })

test('lines that are no documents, or do not fit the extension, are not imported', async () => {
  const site = await open()
  const wrong = [
    'no json',
    '[]',
    '{}',
    line({ key: '' }),
    line({ key: 'x'.repeat(201) }),
    line({ key: 'a\0' }),
    line({ value: undefined }),
    line({ value: { email: 5 } }),
    line({ value: { email: 'x'.repeat(201), list: '' } }),
    line({ version: 0 }),
    line({ version: '1' }),
    line({ created: 'yesterday' }),
    line({ index: ['x'.repeat(201), null, null] }),
    line({ more: 1 }),
  ]
  const folder = folderOf({ 'content/site.txt': 'Title: x' })
  write(folder, {
    'site/documents/newsletter/subscribers-1.jsonl': [...wrong, line({ key: 'good' })].join('\n'),
    'site/documents/newsletter/deep-1.jsonl': line({ value: undefined }).replace(
      '"version"',
      `"value":${'['.repeat(50_000)}${']'.repeat(50_000)},"version"`,
    ),
    'site/documents/newsletter/Other-1.jsonl': line({}),
    'site/documents/newsletter/notes.txt': 'x',
    'site/documents/UPPER/subscribers-1.jsonl': line({}),
    'site/documents/readme.md': 'x',
  })
  const { counts, notes, skipped } = await importFrom(site, folder)
  expect(notes.filter(({ file }) => file.endsWith('subscribers-1.jsonl'))).toHaveLength(wrong.length)
  expect(skipped.map(({ file }) => file)).toEqual([
    'site/documents/UPPER',
    'site/documents/newsletter/Other-1.jsonl',
    'site/documents/newsletter/notes.txt',
    'site/documents/readme.md',
  ])
  expect(counts.documents.imported).toBe(1)
  expect((await stored(site)).map(({ key, index_1 }) => [key, index_1])).toEqual([['good', 'a']])
})

test('the check finds documents that are no JSON, do not fit or are not indexed, and indexes them again', async () => {
  const site = await open()
  const indexed = { ...ada, key: 'a', index_1: null }
  const former = { ...ada, key: 'b', index_3: 'former' }
  const long = row('c', { email: 'x'.repeat(300), list: 'news' }, ['x', 'news'])
  await add(site, ada, indexed, former, long, row('d', { email: 5 }), { ...ada, key: 'e', value: '{' })
  const { faults } = await faultsOf(site)
  expect(faults.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
    'documents: the document "a" of newsletter/subscribers is not indexed by its value',
    'documents: the document "b" of newsletter/subscribers is not indexed by its value',
    'documents: the document "c" of newsletter/subscribers is not indexed by its value',
    'documents: the document "d" of newsletter/subscribers does not fit the schema of its collection',
    'documents: the document "e" of newsletter/subscribers is not valid JSON',
  ])
  await repair(site.app, faults)
  expect((await faultsOf(site)).faults.map(({ at }) => at)).toEqual(
    ['c', 'd', 'e'].map(key => JSON.stringify(['newsletter', 'subscribers', key])),
  )
  expect(await stored(site)).toContainEqual({ ...ada, key: 'a' })
  const { folder, report } = await exported(site)
  expect(report.skipped).toEqual([
    { file: 'site/documents/newsletter/subscribers', reason: 'the document "e" is not valid JSON' },
  ])
  expect(filesIn(folder)['site/documents/newsletter/subscribers-1.jsonl']).toContain('"key":"d"')
})

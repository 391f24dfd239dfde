import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { filesIn } from '../../../test/folders.ts'
import { createImage, createUploader, dataOf } from '../../../test/files.ts'
import {
  beforeCleanUp,
  createTestStorage,
  createTestApp,
  type TestApp,
  writeBlueprints,
} from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { createSignedInUser } from '../../../test/signed-in-user.ts'
import { backup } from '../../transfer/backup/backup.ts'
import { reindexAll } from '../../transfer/backup/load.ts'
import { restore } from '../../transfer/backup/restore.ts'
import { findFaults } from '../../cli/check/faults.ts'
import { loadConfig } from '../../platform/config.ts'
import { copyStore } from '../../transfer/copy/copy.ts'
import { exportSite } from '../../transfer/export/export.ts'
import { createReport } from '../../transfer/export/report.ts'
import { createLanguage } from '../languages/languages.ts'
import { openMedia } from '../../platform/media/open.ts'
import { openStore } from '../../platform/store/open.ts'
import type { FilesTable, PagesTable } from '../../platform/store/tables/content.ts'
import { operatorContext } from '../../cli/site.ts'
import { rounds } from '../../../test/slow.ts'

const folder = mkdtempSync(join(tmpdir(), 'quoin-trash-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const storage = await createTestStorage()
writeBlueprints(storage.data, { 'pages/note.yml': 'fields: { text: { type: textarea }, related: { type: pages } }' })
const site = await createTestApp({ storage })
const { store } = site.app
const admin = await createTokenClient(site)

const count = rounds(40, 500)

/** A branch of many pages in two levels and two languages; every fifth one has a file. */
async function createBranchOfPages(): Promise<string> {
  await createLanguage(operatorContext(site.app), { code: 'en' })
  await createLanguage(operatorContext(site.app), { code: 'de' })
  for (const slug of ['first', 'branch', 'last']) await addPage(site, '', { slug, template: 'note', status: 'listed' })
  const sender = await createUploader(await createSignedInUser(site))
  const bytes = await createImage()
  dataOf(await sender.send('pages/branch/files', [{ filename: 'picture.png', bytes }]))
  const { uuid: root } = await store.db
    .selectFrom('pages')
    .selectAll()
    .where('path', '=', 'branch')
    .executeTakeFirstOrThrow()
  const sample = await store.db.selectFrom('files').selectAll().executeTakeFirstOrThrow()
  const pages = Array.from({ length: count - 1 }, (_, index): PagesTable => {
    const isDeep = index >= 20
    const [above, slug] = [index % 20, `n${index}`]
    const more = { template: 'note', revision: 2, created_at: index, modified_at: 1000 * index } as const
    const state =
      index % 3 === 0 ? ({ status: 'draft', num: null } as const) : ({ status: 'listed', num: index } as const)
    return isDeep
      ? { uuid: `deep${index}`, parent: `high${above}`, path: `branch/n${above}/${slug}`, slug, ...state, ...more }
      : { uuid: `high${index}`, parent: root, path: `branch/${slug}`, slug, ...state, ...more }
  })
  const files = pages
    .filter((_, index) => index % 5 === 0)
    .map((page): FilesTable => ({ ...sample, uuid: `file${page.uuid}`, parent: `page://${page.uuid}` }))
  const contents = pages.flatMap(({ uuid }, index) =>
    ['', 'de'].map(language => ({
      owner: `page://${uuid}`,
      language,
      data: JSON.stringify({ title: `${language} ${uuid}`, text: `Words of ${uuid}, see page://high${index % 20}` }),
      modified_at: index,
    })),
  )
  await store.write(async tx => {
    await tx.insertInto('pages').values(pages).execute()
    await tx.insertInto('files').values(files).execute()
    await tx.insertInto('contents').values(contents).execute()
    const fileContents = files.map(({ uuid }) => ({
      owner: `file://${uuid}`,
      language: '',
      data: '{"alt":"A file"}',
      modified_at: 1,
    }))
    await tx.insertInto('contents').values(fileContents).execute()
    const saved = { revision: 2, action: 'update', user_id: null, time: 5 }
    const versions = contents.map(({ owner, language, data }) => ({ owner, language, data, ...saved }))
    await tx.insertInto('history').values(versions).execute()
    await tx.insertInto('page_slugs').values({ page: 'high1', language: 'de', slug: 'eins' }).execute()
  })
  await reindexAll(store, work => store.write(work))
  return root
}

let exports = 0
/** The files of an export, and what it reports as omitted. */
async function exported({ app } = site) {
  const [to, report] = [join(folder, `${++exports}`), createReport()]
  await exportSite(app, { folder: to, report })
  const { '.quoin-export.json': _, ...files } = filesIn(to)
  return { files, notes: report.notes.map(({ reason }) => reason) }
}

const faults = async ({ app }: Pick<TestApp, 'app'> = site) =>
  (await findFaults(app, { thorough: true, progress: () => {} })).faults

test('a subtree with files is deleted and restored without a difference', { timeout: 300_000 }, async () => {
  await createBranchOfPages()
  expect(await faults()).toEqual([])
  const before = await exported()
  expect(Object.keys(before.files).length).toBeGreaterThan(2 * count)
  await admin.done('DELETE', 'pages/branch', { force: true })
  expect(await faults()).toEqual([])
  const [entry] = (await admin.done('GET', 'site/trash')).data as { id: string; pages: number; files: number }[]
  expect(entry).toMatchObject({ pages: count, files: count / 5 + 1 })
  const without = await exported()
  expect(without.notes).toEqual(['1 entries of the trash are not exported'])
  expect(Object.keys(without.files).filter(name => name.includes('branch'))).toEqual([])

  await expectRestorableCopies(before.files, entry!.id)
  await admin.done('POST', `site/trash/${entry!.id}/restore`)
  expect(await faults()).toEqual([])
  expect(await exported()).toEqual(before)
})

/** A backup and a copy have the trash in them, with its bytes: what was deleted is restored there. */
async function expectRestorableCopies(files: object, entry: string): Promise<void> {
  const archive = join(folder, 'kept.tar')
  await backup({ config: site.app.config, media: site.app.media }, archive)
  const otherStorage = await createTestStorage({ migrated: false })
  const config = await loadConfig({ site: otherStorage.data, options: otherStorage.settings })
  await restore({ config, media: openMedia(config, site.app.log) }, archive)
  writeBlueprints(otherStorage.data, {
    'pages/note.yml': 'fields: { text: { type: textarea }, related: { type: pages } }',
  })
  const otherSite = await createTestApp({ storage: otherStorage })
  const client = await createTokenClient(otherSite)
  await client.done('POST', `site/trash/${entry}/restore`)
  expect(await faults(otherSite)).toEqual([])
  expect((await exported(otherSite)).files).toMatchObject(contentOf(files))

  const target = await createTestStorage({ migrated: false })
  const targetStore = await openStore(await loadConfig({ site: target.data, options: target.settings }), {
    isMaintenance: true,
  })
  beforeCleanUp(() => targetStore.close())
  const { tables } = await copyStore(await openStore(site.app.config, { isMaintenance: true }), targetStore)
  expect(tables).toMatchObject({ trash: { rows: 1 }, trash_rows: { rows: expect.any(Number) as number } })
}

const contentOf = (files: object) =>
  Object.fromEntries(Object.entries(files).filter(([name]) => name.startsWith('content/')))

import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestStorage, createTestApp } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { createStarterStorage } from '../../../test/starter.ts'
import { findFaults } from '../check/faults.ts'
import { importSiteFolder } from './initial-import.ts'

const thoroughly = { thorough: true, progress: () => {} }

test('the site folder is imported into a new store, once', async () => {
  const site = await createTestApp({ storage: await createStarterStorage() })
  expect(await importSiteFolder(site.app)).toEqual({ pages: 8, files: 5, skipped: [] })
  expect(await importSiteFolder(site.app)).toBeUndefined()
  expect(site.app.blueprints.problems).toEqual([])
  expect((await findFaults(site.app, thoroughly)).faults).toEqual([])

  const reader = await createTokenClient(site)
  const ids: string[] = []
  const walk = async (path: string) => {
    const { data } = await reader.done('GET', `${path}/children?status=all&select=id,template,errors,status`)
    for (const { id, errors } of data as { id: string; errors: unknown }[]) {
      expect(errors, `of ${id}`).toEqual({})
      ids.push(id)
      await walk(`pages/${id.replaceAll('/', '+')}`)
    }
  }
  await walk('site')
  expect(ids.toSorted()).toEqual([
    'about',
    'error',
    'home',
    'notes',
    'notes/ink-in-winter',
    'notes/sheets-on-a-line',
    'notes/what-a-quoin-is',
    'notes/with-the-grain',
  ])
  const { data: note } = await reader.done('GET', 'pages/notes+ink-in-winter')
  expect(note).toMatchObject({
    status: 'listed',
    num: 20_260_310,
    template: 'note',
    content: { kind: 'howto', cover: [{ filename: 'roller.jpg' }], related: [{ text: 'What a quoin is' }, {}] },
  })
  const { data: draft } = await reader.done('GET', 'pages/notes+with-the-grain')
  expect(draft.status).toBe('draft')
})

test('an interrupted import is continued', async () => {
  const storage = await createStarterStorage()
  const notes = join(storage.data, 'content/1_notes')
  renameSync(notes, join(storage.data, 'notes')) // as if the import had been interrupted before the notes
  const site = await createTestApp({ storage })
  await importSiteFolder(site.app)
  renameSync(join(storage.data, 'notes'), notes)
  writeFileSync(join(site.app.config.data, 'filling'), '')
  expect(await importSiteFolder(site.app)).toMatchObject({ pages: 5 })
  expect(await importSiteFolder(site.app)).toBeUndefined()
  expect((await findFaults(site.app, thoroughly)).faults).toEqual([])
})

test('two processes that start at the same time create one site', async () => {
  const storage = await createStarterStorage()
  const [one, other] = [await createTestApp({ storage }), await createTestApp({ storage })]
  await Promise.all([importSiteFolder(one.app), importSiteFolder(other.app)])
  const reader = await createTokenClient(one)
  expect((await reader.done('GET', 'pages/notes/children')).pagination.total).toBe(3)
  expect((await findFaults(one.app, thoroughly)).faults).toEqual([])
})

test('existing content of the site is not overwritten, even without pages', async () => {
  const storage = await createStarterStorage()
  for (const name of ['1_notes', '2_about', 'home', 'error'])
    rmSync(join(storage.data, 'content', name), { recursive: true })
  const site = await createTestApp({ storage })
  expect(await importSiteFolder(site.app)).toMatchObject({ pages: 0 })
  const editor = await createTokenClient(site)
  expect((await editor.done('PATCH', 'site', { tagline: 'Mine' })).data.content.title).toBe('A small press')
  expect(await importSiteFolder(site.app)).toBeUndefined()
  expect((await editor.done('GET', 'site')).data.content.tagline).toBe('Mine')
})

test('nothing is imported into a site with pages, or from a folder without content', async () => {
  const site = await createTestApp({ storage: await createStarterStorage() })
  await addPage(site, '', { slug: 'mine', title: 'Mine' })
  expect(await importSiteFolder(site.app)).toBeUndefined()
  const reader = await createTokenClient(site)
  expect((await reader.done('GET', 'site/children?status=all')).data).toMatchObject([{ id: 'mine' }])

  const empty = await createTestApp({ storage: await createTestStorage() })
  expect(await importSiteFolder(empty.app)).toBeUndefined()
})

test('unreadable files are reported, and the rest is imported', async () => {
  const storage = await createStarterStorage()
  rmSync(join(storage.data, 'content/1_notes'), { recursive: true })
  symlinkSync('/etc', join(storage.data, 'content/outside'))
  writeFileSync(join(storage.data, 'content/error/error.txt'), Buffer.from([0xff, 0xfe, 0x00]))
  const { app } = await createTestApp({ storage })
  const imported = await importSiteFolder(app)
  expect(imported).toMatchObject({ pages: 3, files: 2 })
  expect(imported!.skipped.map(({ file }) => file).toSorted()).toEqual(['content/error/error.txt', 'content/outside'])
})

import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { createImage, createUploader } from '../../../test/files.ts'
import {
  addUser,
  beforeCleanUp,
  createTestStorage,
  createTestApp,
  type TestApp,
  type TestStorage,
} from '../../../test/harness.ts'
import { createSignedInUser } from '../../../test/signed-in-user.ts'
import { addPage } from '../../../test/pages.ts'
import { getWith } from '../../../test/sign-in.ts'
import { openApp } from '../../app.ts'
import { loadConfig } from '../../platform/config.ts'
import { findFaults } from '../../cli/check/faults.ts'
import { pendingMigrations } from '../../platform/store/migrate.ts'
import { openStore } from '../../platform/store/open.ts'
import { openSqlite } from '../../platform/store/sqlite.ts'
import { createStore, type Store } from '../../platform/store/store.ts'
import { operatorContext } from '../../cli/site.ts'
import { deletePage } from '../../groups/pages/delete.ts'
import { movePage } from '../../groups/pages/move.ts'
import { deleteUser } from '../../groups/users/users.ts'
import { copyStore } from './copy.ts'

const folder = mkdtempSync(join(tmpdir(), 'quoin-copy-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const site = await createTestApp()
const admin = await createSignedInUser(site, { totp: true })
const reader = await addUser(site)
const uploader = await createUploader(admin)
for (let at = 0; at < 30; at++)
  await addPage(site, '', { slug: `page-${at}`, title: `Näme ${at} \u{1f600} \uffee`, draft: false })
await uploader.send('site/files', [{ filename: 'one.png', bytes: await createImage() }])
await site.app.store.db.insertInto('throttle').values(
  ['a', 'Z', 'ä', '\uffee', '\u{1f600}', '\ud7ff'].map(bucket => ({ bucket, tat: 1, fails: 0, blocked_until: 0, seen_at: 2 ** 50 })),
).execute() // prettier-ignore
const document = { extension: 'newsletter', collection: 'subscribers', key: 'ä "', value: '{"email":"ä"}', version: 3 }
await site.app.store.db.insertInto('documents').values(
  { ...document, index_1: 'ä', index_2: null, index_3: '', created_at: 2 ** 50, modified_at: 1 },
).execute() // prettier-ignore

const documentsOf = ({ app }: TestApp) => app.store.db.selectFrom('documents').selectAll().execute()

let count = 0
/** A SQLite file, also when the tests run on PostgreSQL: rows are then copied to the other engine and back. */
function newFile(): Store {
  const store = createStore(openSqlite({ path: join(folder, `${++count}.db`) }))
  beforeCleanUp(() => store.close())
  return store
}

/** Opens the store of an app a second time, because a snapshot needs its own connection. */
async function storeOf({ app }: Pick<TestApp, 'app'>): Promise<Store> {
  const store = await openStore(app.config, { isMaintenance: true })
  beforeCleanUp(() => store.close())
  return store
}

/** An empty store on the engine of this run. */
async function newStore() {
  const { settings, data } = await createTestStorage({ migrated: false })
  const config = await loadConfig({ site: data, options: settings })
  const store = await openStore(config, { isMaintenance: true })
  beforeCleanUp(() => store.close())
  return { store, settings, config }
}

await movePage(operatorContext(site.app), await pageAt('page-0'), { parent: (await pageAt('page-1')).uuid })

async function pageAt(path: string): Promise<{ uuid: string }> {
  return site.app.store.db.selectFrom('pages').select('uuid').where('path', '=', path).executeTakeFirstOrThrow()
}

const source = await storeOf(site)

test('copying there and back changes nothing, and sessions stay valid', async () => {
  const file = newFile()
  const { store, settings } = await newStore()
  const there = await copyStore(source, file)
  expect(there.rows).toBeGreaterThan(100)
  expect(there.tables).toMatchObject({
    pages: { rows: 30 },
    redirects: { rows: 1 },
    sessions: { rows: 1 },
    files: { rows: 1 },
    documents: { rows: 1 },
  })
  const back = await copyStore(file, store)
  expect(back).toEqual(there)

  const moved = await openCopy(settings)
  expect((await getWith(moved, admin.token()!)).statusCode).toBe(200)
  expect((await findFaults(moved.app, { thorough: true, progress: () => {} })).faults).toEqual([])
  expect(await documentsOf(moved)).toEqual(await documentsOf(site))
  // triggers and sequences work again
  await addPage(moved, '', { slug: 'new', draft: false })
  expect((await findFaults(moved.app, { thorough: true, progress: () => {} })).faults).toEqual([])
})

/** Opens the site on its copy. */
async function openCopy({ data: folderOfStore, database }: TestStorage['settings']): Promise<TestApp> {
  const data = database ? site.storage.data : folderOfStore!
  if (!database) copyDataFiles(data)
  return createTestApp({ storage: { ...site.storage, settings: { data, ...(database && { database }) }, data } })
}

/** What `quoin copy` does not copy: the operator copies it if the new site has another data folder. */
function copyDataFiles(data: string): void {
  for (const name of ['media', 'secrets.json', 'blueprints'])
    cpSync(join(site.storage.data, name), join(data, name), { recursive: true })
}

test('an interrupted copy cannot be opened, and the next run completes it even if the source has changed', async () => {
  const { store } = await newStore()
  class Stopped extends Error {}
  let calls = 0
  const stop = () => {
    if (++calls === 12) throw new Stopped()
  }
  await expect(copyStore(source, store, { progress: stop })).rejects.toThrow(Stopped)
  const { copied } = await store.db
    .selectFrom('users')
    .select(eb => eb.fn.countAll<number>().as('copied'))
    .executeTakeFirstOrThrow()
  expect(copied).toBeGreaterThan(0)
  await expect(pendingMigrations(store)).rejects.toThrow('has not been finished')

  // swapped unique names, changed accounts, an updated event, a deleted and a new account
  await deleteUser(operatorContext(site.app), reader)
  await addUser(site)
  await addPage(site, '', { slug: 'later', draft: false })
  await site.app.store.write(async tx => {
    await sql`update pages set path = 'x', slug = 'x' where path = 'page-3'`.execute(tx)
    await sql`update pages set path = 'page-3', slug = 'page-3' where path = 'page-4'`.execute(tx)
    await sql`update pages set path = 'page-4', slug = 'page-4' where path = 'x'`.execute(tx)
    await sql`update users set name = 'Another name'`.execute(tx)
    await sql`update audit_events set count = count + 1 where gathered is not null`.execute(tx)
  })
  const report = await copyStore(source, store)
  expect(report.alreadyCopied).toBeGreaterThan(0)
  expect(report.alreadyCopied).toBeLessThan(report.rows)
  expect((await copyStore(source, newFile())).tables).toEqual(report.tables)
})

test('a target with a site or tables of another program is refused', async () => {
  const file = newFile()
  await copyStore(source, file)
  await expect(copyStore(source, file)).rejects.toThrow('There is a site in the target already')
  await expect(copyStore(source, await storeOf(site), { force: true })).rejects.toThrow('the same store')
  const foreign = newFile()
  await sql`create table users (a integer)`.execute(foreign.db)
  await expect(copyStore(source, foreign, { force: true })).rejects.toThrow('not of Quoin')
  const other = newFile()
  await sql`create table migrations (id integer)`.execute(other.db)
  await expect(copyStore(source, other, { force: true })).rejects.toThrow('not of Quoin')
})

test('a second copy with force copies only what has changed', async () => {
  const { store, settings } = await newStore()
  const first = await copyStore(source, store)
  await addPage(site, '', { slug: 'second', title: 'Second', draft: false })
  await deletePage(operatorContext(site.app), await pageAt('page-5'), {})
  await sql`update users set name = 'A third name'`.execute(site.app.store.db)
  // A server that used the target has added this.
  await store.db
    .insertInto('documents')
    .values({ ...document, key: 'b', created_at: 1, modified_at: 1 })
    .execute()
  const second = await copyStore(source, store, { force: true })
  expect(second.alreadyCopied).toBeGreaterThan(first.rows / 2)
  expect(second.alreadyCopied).toBeLessThan(second.rows)
  expect((await copyStore(source, newFile())).tables).toEqual(second.tables)

  // triggers and sequences work again, and the search index is complete
  const moved = await openCopy(settings)
  await addPage(moved, '', { slug: 'new', draft: false })
  expect((await findFaults(moved.app, { thorough: true, progress: () => {} })).faults).toEqual([])
})

test('force replaces all of another site', async () => {
  const file = newFile()
  await copyStore(await storeOf(await createTestApp()), file)
  expect((await copyStore(source, file, { force: true })).alreadyCopied).toBe(0)
})

test('an unfinished copy of another site is refused, and no server starts on one', async () => {
  const { store, config } = await newStore()
  await expect(copyStore(source, store, { progress: () => { throw new Error('stopped') } })).rejects.toThrow('stopped')
  const otherSite = await createTestApp()
  await expect(copyStore(await storeOf(otherSite), store)).rejects.toThrow('unfinished copy of another site')
  await expect(openApp(config)).rejects.toThrow('has not been finished')
  await copyStore(await storeOf(otherSite), store, { force: true })
}) // prettier-ignore

import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { dump } from '../../../test/dump.ts'
import { createImage, createUploader } from '../../../test/files.ts'
import { createTestStorage, createTestApp, type TestStorage, type TestApp } from '../../../test/harness.ts'
import { keepBytes, sha256 } from '../../../test/media.ts'
import { createSignedInUser } from '../../../test/signed-in-user.ts'
import { startS3 } from '../../../test/s3.ts'
import { getWith } from '../../../test/sign-in.ts'
import { findFaults } from '../../cli/check/faults.ts'
import { loadConfig } from '../../platform/config.ts'
import { openMedia } from '../../platform/media/open.ts'
import { release } from '../../platform/release.ts'
import { openSecrets } from '../../platform/secrets.ts'
import { migrate, migrations } from '../../platform/store/migrate.ts'
import { openStore } from '../../platform/store/open.ts'
import { acquireServerLock } from '../../platform/store/server-lock.ts'
import { backup, type BackupSource } from './backup.ts'
import { restore } from './restore.ts'
import { isFirstEngine, isSlow } from '../../../test/slow.ts'

/** A new, empty store, as a command opens it. */
async function newTarget(): Promise<{ storage: TestStorage; to: BackupSource }> {
  const storage = await createTestStorage({ migrated: false })
  return { storage, to: await backupSourceOf(storage) }
}

async function backupSourceOf(storage: TestStorage): Promise<BackupSource> {
  const config = await loadConfig({ site: storage.data, options: storage.settings })
  return { config, media: openMedia(config, site.app.log) }
}

const site = await createTestApp()
const admin = await createSignedInUser(site, { totp: true })
const sender = await createUploader(admin)
const { data: folder } = await createTestStorage({ migrated: false })
let count = 0
const newFile = (end = 'tar') => join(folder, `${++count}.${end}`)

const thorough = { thorough: true, progress: () => {} }
const faultsIn = async ({ app }: TestApp) => (await findFaults(app, thorough)).faults

async function write(name: string): Promise<void> {
  const page = await sender.call('POST', 'site/children', { slug: name, title: `About ${name}`, draft: false })
  expect(page).toMatchObject({ statusCode: 200 })
  const bytes = await createImage('png', { color: `#${(0x100000 + Number(name.slice(1))).toString(16)}` })
  const file = await sender.send(`pages/${name}/files`, [{ filename: 'one.png', bytes }])
  expect(file).toMatchObject({ statusCode: 200 })
}

test.runIf(isSlow)(
  'a backup during constant writes contains everything written before, and is consistent',
  async () => {
    const answered: string[] = []
    const writing = { isOver: false }
    const writers = ['1', '2'].map(async writer => {
      for (let done = 0; !writing.isOver; done++) {
        await write(`b${writer}${done}`)
        if (done % 3 !== 1) answered.push(`b${writer}${done}`)
        if (done % 3 === 2) await sender.call('DELETE', `pages/b${writer}${done - 1}`, { force: true })
      }
    })
    await vi.waitUntil(() => answered.length > 5, { timeout: 30_000, interval: 5 })
    const expected = [...answered]
    const file = newFile('tar.gz')
    const report = await backup(site.app, file)
    const laterArchive = newFile()
    let between = 0
    await backup(site.app, laterArchive, {
      progress: () => (between++ < 16 && between % 2 === 0 ? write(`d${between}`) : undefined),
    })
    writing.isOver = true
    await Promise.all(writers)
    expect(answered.length).toBeGreaterThan(expected.length)
    expect(report).toMatchObject({ file, secrets: true, missing: [] })
    expect(statSync(file)).toMatchObject({ size: report.size })
    expect(statSync(file).mode & 0o777).toBe(0o600)

    const { storage, to } = await newTarget()
    await restore(to, file)
    const restored = await createTestApp({ storage })
    expect(await faultsIn(restored)).toEqual([])
    const there = await getWith(restored, admin.token()!)
    expect(there.statusCode).toBe(200)
    const paths = (await restored.app.store.db.selectFrom('pages').select('path').execute()).map(row => row.path)
    expect(paths).toEqual(expect.arrayContaining(expected))
    const other = await newTarget()
    await restore(other.to, laterArchive)
    expect(await faultsIn(await createTestApp({ storage: other.storage }))).toEqual([])
  },
)

test('a restored site equals the original, and can be used', async () => {
  const file = newFile()
  await backup(site.app, file)
  const { storage, to } = await newTarget()
  const report = await restore(to, file)
  expect(report).toMatchObject({ secrets: true, missing: [] })
  const restored = await createTestApp({ storage })
  const [was, is] = [await dump(site), await dump(restored)]
  for (const table of ['search_rows', 'search_index', 'search_terms', 'blobs']) {
    delete was[table]
    delete is[table]
  }
  expect(is).toEqual(was)
  const { browser } = admin
  const again = restored.browser()
  for (const [name, value] of browser.cookies) again.cookies.set(name, value)
  const { csrf } = (await again.send({ url: '/api/auth' })).json<{ csrf: string }>()
  const page = await again.send({
    method: 'POST',
    url: '/api/site/children',
    headers: { 'sec-fetch-site': 'same-origin', 'x-csrf': csrf, 'content-type': 'application/json' },
    payload: JSON.stringify({ slug: 'after', title: 'After the restore' }),
  })
  expect(page).toMatchObject({ statusCode: 200 })
  expect(await faultsIn(restored)).toEqual([])
})

test('an existing site is not replaced without --force', async () => {
  const file = newFile()
  await backup(site.app, file)
  const { storage, to } = await newTarget()
  const old = await createTestApp({ storage })
  await keepBytes(old, Buffer.from('of the old site'))
  await old.close()
  await expect(restore(to, file)).rejects.toThrow('has other secrets than the archive')
  rmSync(join(storage.data, 'secrets.json'))
  await expect(restore(to, file)).rejects.toThrow('There is a site in this store already')
  expect(existsSync(join(storage.data, 'secrets.json'))).toBe(false)
  const endServing = acquireServerLock(to.config)
  await expect(restore(to, file, { force: true })).rejects.toThrow('A server is running')
  expect(await restore(to, file, { force: true, dryRun: true }), 'nothing is written').toMatchObject({ secrets: true })
  await restore(to, file, { force: true, whileRunning: true })
  endServing()
  await restore(to, file, { force: true })
  const restored = await createTestApp({ storage })
  expect(await faultsIn(restored)).toEqual([])
  expect((await findFaults(restored.app, thorough)).unused).toBe(1)
})

test('blobs of another site are not treated as unused', async () => {
  const file = newFile()
  await backup(site.app, file)
  const { to } = await newTarget()
  const received = await to.media.receive(streamOf('of another site'), 100)
  await received.keep()
  await expect(restore(to, file)).rejects.toThrow('it may belong to another site')
})

async function* streamOf(text: string) {
  yield Buffer.from(text)
}

test('blobs that disappear during a backup are reported', async () => {
  await write('c1')
  await write('c2')
  const { hash } = await site.app.store.db
    .selectFrom('files')
    .innerJoin('pages', on => on.on(sql`'page://' || pages.uuid`, '=', sql.ref('files.parent')))
    .select('hash')
    .where('pages.path', '=', 'c1')
    .executeTakeFirstOrThrow()
  const path = join(site.app.config.data, 'media', hash.slice(0, 2), hash)
  const bytes = await createImage('png', { color: '#100001' })
  const file = newFile()
  const vanish = { progress: () => rmSync(path, { force: true }) }
  await expect(backup(site.app, file, vanish)).rejects.toThrow(hash)
  expect(readdirSync(folder).filter(name => name.startsWith(`${count}.`))).toEqual([])

  writeFileSync(path, 'damaged')
  const report = await backup(site.app, file, { incomplete: true })
  expect(report.missing).toEqual([hash])
  const { storage, to } = await newTarget()
  expect(await restore(to, file)).toMatchObject({ missing: [hash] })
  const restored = await createTestApp({ storage })
  expect((await faultsIn(restored)).map(({ message }) => message)).toContainEqual(
    expect.stringContaining('one.png: its bytes are missing'),
  )
  rmSync(path)
  writeFileSync(path, bytes)
})

test.runIf(isFirstEngine)('a backup moves from S3-compatible storage to a disk, and back', async () => {
  const s3 = await startS3()
  const remote = await createTestApp({ settings: { media: { s3: s3.settings } } })
  const remoteSender = await createUploader(await createSignedInUser(remote))
  const bytes = await createImage('jpeg')
  const sent = await remoteSender.send('site/files', [{ filename: 'one.jpg', bytes }])
  expect(sent).toMatchObject({ statusCode: 200 })
  const file = newFile('tgz')
  expect(await backup(remote.app, file)).toMatchObject({ media: { count: 1, bytes: bytes.length } })
  const { storage, to } = await newTarget()
  await restore(to, file)
  expect(await faultsIn(await createTestApp({ storage }))).toEqual([])

  const { storage: another } = await newTarget()
  const other = await startS3()
  const settings = { media: { s3: other.settings } }
  const there = await backupSourceOf({ ...another, settings: { ...another.settings, ...settings } })
  const key = `media/${sha256(bytes)}`
  other.objects.set('media/of-somebody.txt', Buffer.from('left alone'))
  await restore(there, file)
  expect(other.objects.get(key)?.equals(bytes)).toBe(true)
  other.objects.set(key.slice(0, -1) + (key.endsWith('0') ? '1' : '0'), Buffer.from('of another site'))
  await expect(restore(there, file)).rejects.toThrow('There is a site in this store already')
  other.objects.delete(key)
  await restore(there, file, { force: true })
  expect([...other.objects.keys()]).toHaveLength(3)
  const restored = await createTestApp({ storage: another, settings })
  expect(await findFaults(restored.app, thorough)).toMatchObject({ faults: [], unused: 1 })
})

test('an archive of an older release is migrated', async () => {
  const { to: old } = await newTarget()
  openSecrets(old.config)
  const store = await openStore(old.config)
  await migrate(store, '0.0.5', migrations.slice(0, 5))
  await sql`insert into users (id, email, email_key, name, role, language, status, created_at, modified_at)
    values ('x', 'x@example.org', 'x@example.org', '', 'admin', 'en', 'active', 0, 0)`.execute(store.db)
  await store.close()
  const file = newFile()
  await backup(old, file)
  const { storage, to } = await newTarget()
  await restore(to, file)
  const restored = await createTestApp({ storage })
  const { db } = restored.app.store
  const applied = await db.selectFrom('migrations').select(['name', 'release']).orderBy('name').execute()
  expect(applied).toEqual(migrations.map(([name], index) => ({ name, release: index < 5 ? '0.0.5' : release })))
  expect(await db.selectFrom('users').select(['id', 'revision']).execute()).toEqual([{ id: 'x', revision: 1 }])
  expect(await faultsIn(restored)).toEqual([])
})

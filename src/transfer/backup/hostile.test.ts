import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { addUser, createTestStorage, createTestApp, type TestStorage } from '../../../test/harness.ts'
import { addFile } from '../../../test/media.ts'
import { rounds } from '../../../test/slow.ts'
import { loadConfig } from '../../platform/config.ts'
import { openMedia } from '../../platform/media/open.ts'
import { migrations } from '../../platform/store/migrate.ts'
import { openStore } from '../../platform/store/open.ts'
import { type Metadata, type Manifest, readArchive } from './archive.ts'
import { backup, type BackupSource } from './backup.ts'
import { BackupRefusal } from './refusal.ts'
import { restore } from './restore.ts'
import { shapeAfter, selectDatabaseState } from './schema/queries.ts'
import { endOfArchive, entriesOf, headerOf, paddingOf } from './tar.ts'

const site = await createTestApp()
await addUser(site, { email: 'somebody@example.org' })
await addFile(site, 'site://', 'one.txt', Buffer.from('the bytes of a file'))
const storage = await createTestStorage({ migrated: false })
const archive = join(storage.data, 'good.tar')
await backup(site.app, archive)
const target = await backupSourceOf(storage)
const file = join(storage.data, 'bad.tar')

async function backupSourceOf({ data, settings }: TestStorage): Promise<BackupSource> {
  const config = await loadConfig({ site: data, options: settings })
  return { config, media: openMedia(config, site.app.log) }
}

interface Packed {
  name: string
  bytes: Buffer
  /** Of the entry; a plain file otherwise. */
  type?: string
}

const good = await Array.fromAsync(entriesOf(pieces(readFileSync(archive))), async ({ name, bytes }) => ({
  name,
  bytes: Buffer.concat(await Array.fromAsync(bytes)),
}))

async function* pieces(bytes: Buffer) {
  yield bytes
}

function packed(entries: readonly Packed[]): Buffer {
  return Buffer.concat([
    ...entries.flatMap(({ name, bytes, type }) => {
      const header = headerOf(name, bytes.length, 0)
      if (type !== undefined) retype(header, type)
      return [header, bytes, paddingOf(bytes.length)]
    }),
    endOfArchive,
  ])
}

function retype(header: Buffer, type: string): void {
  header.write(type, 156)
  header.write('/etc/passwd', 157)
  let sum = 8 * 32
  for (const [index, byte] of header.entries()) if (index < 148 || index >= 156) sum += byte
  header.write(sum.toString(8).padStart(6, '0'), 148)
}

const sum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** An attacker who also corrects the checksums. */
function changed(name: string, change: (text: string) => string): Packed[] {
  const entries = good.map(entry =>
    entry.name === name ? { ...entry, bytes: Buffer.from(change(entry.bytes.toString())) } : entry,
  )
  const manifest = entries.at(-1)!
  const parsed = JSON.parse(manifest.bytes.toString()) as Manifest
  for (const { name: each, bytes } of entries) {
    if (each === 'about.json') parsed.about = sum(bytes)
    if (each === 'secrets.json') parsed.secrets = sum(bytes)
    const part = parsed.parts.find(one => one.name === each)
    if (!part) continue
    const rows = bytes.toString().split('\n').length - 1
    Object.assign(part, { size: bytes.length, sha256: sum(bytes), rows })
    parsed.tables[each.split(/[/.]/)[1]!] = { rows, sha256: sum(bytes) }
  }
  return [...entries.slice(0, -1), { name: 'manifest.json', bytes: Buffer.from(JSON.stringify(parsed)) }]
}

const users = 'rows/users.000001.jsonl'
const withMetadata = (change: (metadata: Metadata) => object) =>
  changed('about.json', text => JSON.stringify(change(JSON.parse(text) as Metadata)))
const mediaEntry = good.find(({ name }) => name.startsWith('media/'))!
const without = (name: string) => good.filter(entry => entry.name !== name)
const before = (name: string, ...more: Packed[]) => {
  const at = good.findIndex(entry => entry.name === name)
  return [...good.slice(0, at), ...more, ...good.slice(at)]
}
const outside: Packed = { name: '../../escaped', bytes: Buffer.from('out') }
const link: Packed = { name: mediaEntry.name, bytes: Buffer.alloc(0), type: '2' }

const flipped = (name: string) =>
  good.map(entry => {
    if (entry.name !== name) return entry
    const bytes = Buffer.from(entry.bytes)
    bytes[bytes.length >> 1]! ^= 1
    return { ...entry, bytes }
  })

test.each<[what: string, archive: Buffer, message: string | RegExp | typeof BackupRefusal]>([
  ['nothing', Buffer.alloc(0), 'cut off'],
  ['something else', Buffer.from('PK'.repeat(600)), 'not an archive of Quoin'],
  ['the beginning', packed(good).subarray(0, 5000), 'cut off'],
  ['all but the end', packed(good).subarray(0, -1024), 'cut off'],
  ['the beginning, packed', gzipSync(packed(good)).subarray(0, 2000), 'cannot be unpacked'],
  ['packed and damaged', Buffer.concat([gzipSync(packed(good)).subarray(0, 2000), Buffer.alloc(500, 7)]), BackupRefusal],
  ['bytes after the end', Buffer.concat([packed(good), Buffer.from('x')]), 'data after its end'],
  ['a name with ..', packed(before('manifest.json', outside)), 'does not belong there: ../../escaped'],
  ['a name with .. among the bytes', packed(before(mediaEntry.name, { ...outside, name: 'media/../x' })), 'media/../x'],
  ['a link', packed(before(mediaEntry.name, link)), 'not a regular file'],
  ['a hard link', packed(before(mediaEntry.name, { ...link, type: '1' })), 'not a regular file'],
  ['a folder', packed(before('manifest.json', { ...link, name: 'media/', type: '5' })), 'not a regular file'],
  ['a file twice', packed(before(mediaEntry.name, mediaEntry)), 'does not belong there'],
  ['other rows', packed(flipped(users)), /cannot be one of users|has another checksum/],
  ['other bytes', packed(flipped(mediaEntry.name)), 'does not match its checksum'],
  ['fewer bytes', packed(without(mediaEntry.name)), /damaged|does not have the bytes/],
  ['no rows of a table', packed(without(users)), 'is not there'],
  ['no manifest', packed(without('manifest.json')), 'no manifest.json'],
  ['an unknown table', packed(before(users, { name: 'rows/other.000001.jsonl', bytes: Buffer.from('{}\n') })), 'rows/other'],
  ['a newer format', packed(withMetadata(metadata => ({ ...metadata, version: 2 }))), 'newer release'],
  ['a newer schema', packed(withMetadata(metadata => ({ ...metadata, release: '9.9.9', migrations: [...metadata.migrations, { name: '999-future', release: '9.9.9', applied_at: 0 }] }))), 'made by Quoin 9.9.9, which is newer'],
  ['another product', packed(withMetadata(metadata => ({ ...metadata, format: 'tar' }))), 'not as it should be'],
  ['rows with other columns', packed(changed(users, text => text.replace('"name"', '"nom"'))), 'cannot be one of users'],
  ['rows with other values', packed(changed(users, text => text.replace('"name":""', '"name":{"a":1}'))), 'cannot be one of users'],
  ['rows that are no JSON', packed(changed(users, text => `${text}x\n`)), 'cannot be one of users'],
  ['a line without an end', packed(changed(users, text => text.trim())), 'do not end'],
  ['secrets of another site', packed(changed('secrets.json', text => text.replaceAll(/:[\w-]{8}/g, ':AAAAAAAA'))), 'not those of its rows'],
  ['invalid secrets', packed(changed('secrets.json', () => '{}')), 'cannot be read'],
  ['too much at once', Buffer.concat([packed(good.slice(0, 2)).subarray(0, -1024), headerOf(users, 300 * 1024 ** 2, 0)]), 'too large'],
])('%s is refused, and nothing is written', async (_, bytes, message) => {
  writeFileSync(file, bytes)
  await expect(restore(target, file)).rejects.toThrow(message)
  expect(readdirSync(storage.data).toSorted()).toEqual(['bad.tar', 'blueprints', 'good.tar'])
  if (target.config.database.url === undefined) return
  const store = await openStore(target.config)
  expect(await selectDatabaseState(store, await shapeAfter(migrations.length))).toMatchObject({ state: 'empty' })
  await store.close()
}) // prettier-ignore

test('rows that violate constraints leave the site unchanged', async () => {
  const old = await createTestStorage({ migrated: false })
  const to = await backupSourceOf(old)
  await restore(to, archive)
  const twice = changed(users, text => text + text.replace(/"id":"\w+"/, '"id":"zzz"'))
  writeFileSync(file, packed(twice))
  await expect(restore(to, file, { force: true })).rejects.toThrow(/unique/i)
  const previous = await createTestApp({ storage: old })
  expect(await previous.app.store.db.selectFrom('users').select('email').execute()).toEqual([
    { email: 'somebody@example.org' },
  ])
})

test('a symbolic link in place of the archive is refused', async () => {
  const path = join(storage.data, 'link.tar')
  symlinkSync('/nowhere', path)
  await expect(restore(target, path)).rejects.toThrow('ENOENT')
  await expect(backup(site.app, archive)).rejects.toThrow('already exists')
})

test('any flipped bit is reported or has no effect', async () => {
  const whole = packed(good)
  const { manifest } = await readArchive(archive)
  const count = rounds(60, 200)
  for (let at = 0; at < count; at++) {
    const bytes = Buffer.from(whole)
    bytes[Math.floor((at / count) * bytes.length) + (at % 7)]! ^= 1 << (at % 8)
    writeFileSync(file, bytes)
    const read = await readArchive(file).catch((error: unknown) => error)
    if (!(read instanceof BackupRefusal)) expect(read).toMatchObject({ manifest }) // between files
  }
})

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Config } from '../../platform/config.ts'
import type { Media } from '../../platform/media/media.ts'
import { release } from '../../platform/release.ts'
import { pendingMigrations } from '../../platform/store/migrate.ts'
import { openStore, sqlitePath } from '../../platform/store/open.ts'
import type { Store } from '../../platform/store/store.ts'
import { type Metadata, type Manifest, names } from './archive.ts'
import { createHashes, type Hashes } from './hashes.ts'
import { type ArchiveWriter, writeArchiveFile } from './output.ts'
import {
  countRows,
  batchesOf,
  postponeSweep as postponeSweepIn,
  type Row,
  selectApplied,
  blobTables,
  selectUnknownBytes,
  type Snapshot,
  usedBytes,
  withBackupSnapshot,
} from './queries.ts'
import { BackupRefusal } from './refusal.ts'
import { createDigest, type Digest } from './rows.ts'
import { shapeAfter, type TableSchema } from './schema/queries.ts'
import { secretsFile } from './secrets.ts'

/**
 * The parts of an app that a backup needs. It opens a store of its own, because a snapshot needs its own connection.
 */
export interface BackupSource {
  config: Config
  media: Media
}

type Progress = (done: number, total: number) => void | Promise<void>

export interface BackupOptions {
  /** Leaves out the keys for sessions, passwords and second factors. */
  withoutSecrets?: boolean
  /** Continues when blobs are missing or damaged, and lists them in the archive. */
  incomplete?: boolean
  force?: boolean
  /** Called after each batch of rows and each blob; the backup waits for the returned promise. */
  progress?: Progress
}

export interface BackupReport {
  file: string
  size: number
  /** Of the whole archive. */
  sha256: string
  rows: number
  media: { count: number; bytes: number }
  secrets: boolean
  missing: string[]
}

/**
 * Writes all rows, as one consistent snapshot, and all blobs that they use to one file. The file gets its final name
 * only when it is complete.
 */
export async function backup(source: BackupSource, file: string, options: BackupOptions = {}): Promise<BackupReport> {
  const { config } = source
  if (existsSync(file) && !options.force) throw new BackupRefusal(`${file} already exists. --force replaces it.`)
  if (config.database.url === undefined && !existsSync(sqlitePath(config)))
    throw new BackupRefusal(`There is nothing to back up yet: ${sqlitePath(config)} does not exist.`)
  const store = await openStore(config, { isMaintenance: true })
  try {
    const { size, sha256, value } = await writeArchiveFile(file, options.force === true, archive =>
      writeArchive(source, store, archive, options),
    )
    return { file, size, sha256, ...value }
  } finally {
    await store.close()
  }
}

/**
 * Reads the rows in one snapshot and ends it before the blobs, so that the database can clean up old row versions.
 * Blobs are immutable and need no snapshot.
 */
async function writeArchive(
  { config, media }: BackupSource,
  store: Store,
  archive: ArchiveWriter,
  { withoutSecrets = false, incomplete = false, progress = () => {} }: BackupOptions,
) {
  const isCurrent = (await pendingMigrations(store)).length === 0
  const secrets = withoutSecrets ? undefined : secretsFile(config)
  const rows = await withBackupSnapshot(store, snapshot => writeRows(snapshot, archive, { secrets, progress }))
  const bytes = await writeMedia(rows.blobs, archive, {
    media,
    postponeSweep: isCurrent ? createSweepPostponer(store) : async () => {},
    progress: done => progress(rows.total - rows.blobs.hashes.count + done, rows.total),
  })
  const missing = [...rows.unrecordedHashes, ...bytes.missing].toSorted()
  if (missing.length > 0 && !incomplete) throw new BackupRefusal(missingText(missing))
  const manifest = { ...rows.sums, media: bytes.sums, missing } satisfies Manifest
  await archive.add(names.manifest, `${JSON.stringify(manifest, undefined, 1)}\n`)
  const count = Object.values(manifest.tables).reduce((sum, table) => sum + table.rows, 0)
  return {
    rows: count,
    media: { count: bytes.sums.count, bytes: bytes.sums.bytes },
    secrets: secrets !== undefined,
    missing,
  }
}

const maxNamed = 20

const missingText = (missing: readonly string[]) =>
  `The bytes of ${missing.length} files are missing or damaged (${missing.slice(0, maxNamed).join(', ')}${missing.length > maxNamed ? ' …' : ''}). ` +
  '"quoin check --data --thorough" says which; --incomplete makes the backup without them.'

interface Blobs {
  hashes: Hashes
  sizes: number[]
}

interface RowOptions {
  secrets: string | undefined
  progress: Progress
}

async function writeRows(snapshot: Snapshot, archive: ArchiveWriter, { secrets, progress }: RowOptions) {
  const migrations = await selectApplied(snapshot)
  const { tables } = await shapeAfter(migrations.length)
  const { engine } = snapshot
  const created = new Date(archive.time).toISOString()
  const metadata: Metadata = { format: 'quoin-backup', version: 1, release, engine, created, migrations }
  const sums = {
    about: await archive.add(names.about, `${JSON.stringify(metadata, undefined, 1)}\n`),
    secrets: secrets === undefined ? null : await archive.add(names.secrets, secrets),
    tables: {} as Manifest['tables'],
    parts: [] as Manifest['parts'],
  }
  const hasBlobs = tables.some(({ name }) => name === 'blobs')
  const referring = blobTables(tables)
  const used = usedBytes(referring)
  const conditionOf = ({ name }: TableSchema) => (name === 'blobs' ? used : undefined)
  const unrecordedHashes = hasBlobs ? (await selectUnknownBytes(snapshot, referring)).map(({ hash }) => hash) : []
  let total = hasBlobs ? await countRows(snapshot, 'blobs', used) : 0
  for (const table of tables) total += await countRows(snapshot, table.name, conditionOf(table))
  const blobs: Blobs = { hashes: createHashes(), sizes: [] }
  let done = 0
  for (const table of tables)
    sums.tables[table.name] = await writeTable(
      snapshot,
      table,
      archive,
      { parts: sums.parts, where: conditionOf(table) },
      async rows => {
        if (table.name === 'blobs')
          for (const { hash, size } of rows) {
            blobs.hashes.add(hash as string)
            blobs.sizes.push(size as number)
          }
        await progress((done += rows.length), total)
      },
    )
  return { sums, blobs, unrecordedHashes, total }
}

/** A part ends after this many characters (UTF-16 units). */
const partLength = 1024 * 1024

/** Writes a table in parts; each part must fit into memory. */
async function writeTable(
  snapshot: Snapshot,
  table: TableSchema,
  archive: ArchiveWriter,
  { parts, where }: { parts: Manifest['parts']; where: string | undefined },
  onRows: (rows: Row[]) => void | Promise<void>,
): Promise<Digest> {
  const digest = createDigest()
  let [lines, length, number] = [[] as string[], 0, 1]
  async function end(): Promise<void> {
    if (lines.length === 0) return
    const name = names.rows(table.name, number++)
    const bytes = Buffer.from(lines.join(''))
    parts.push({ name, size: bytes.length, rows: lines.length, sha256: await archive.add(name, bytes) })
    lines = []
    length = 0
  }
  for await (const rows of batchesOf(snapshot, table, where)) {
    for (const row of rows) {
      const line = digest.add(row)
      lines.push(line)
      if ((length += line.length) > partLength) await end()
    }
    await onRows(rows)
  }
  await end()
  return digest.end()
}

interface MediaOptions {
  media: Media
  postponeSweep: () => Promise<void>
  progress: (done: number) => void | Promise<void>
}

async function writeMedia(
  { hashes, sizes }: Blobs,
  archive: ArchiveWriter,
  { media, postponeSweep, progress }: MediaOptions,
) {
  const sum = createHash('sha256')
  const missing: string[] = []
  let [count, bytes] = [0, 0]
  for (const [index, size] of sizes.entries()) {
    await postponeSweep()
    const hash = hashes.at(index)
    const isThere = await media.borrow(hash, path => archive.addFile(names.bytes(hash), path, { hash, size }))
    if (isThere) {
      sum.update(`${hash} ${size}\n`)
      count++
      bytes += size
    } else missing.push(hash)
    await progress(index + 1)
  }
  return { missing, sums: { count, bytes, sha256: sum.digest('hex') } }
}

const postponeIntervalMs = 10 * 60_000

/**
 * Postpones the sweep of unused blobs while the archive is written: a file may be deleted after its row was archived.
 */
function createSweepPostponer(store: Store): () => Promise<void> {
  let last = -Infinity
  return async () => {
    if (performance.now() - last < postponeIntervalMs) return
    last = performance.now()
    await store.write(postponeSweepIn)
  }
}

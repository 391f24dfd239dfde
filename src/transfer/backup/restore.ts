import { existsSync, statSync } from 'node:fs'
import { claimBlob } from '../../platform/media/blobs.ts'
import { migrations, pendingMigrations } from '../../platform/store/migrate.ts'
import { openStore, sqlitePath } from '../../platform/store/open.ts'
import { isServerLockHeld } from '../../platform/store/server-lock.ts'
import type { Store, Tx } from '../../platform/store/store.ts'
import { type ArchiveContents, readArchive } from './archive.ts'
import type { BackupSource } from './backup.ts'
import { reindexAll, registerUnusedBlobs } from './load.ts'
import { insertRows, batchesOf, snapshotIn } from './queries.ts'
import { BackupRefusal } from './refusal.ts'
import { digestOf } from './rows.ts'
import {
  createSchema,
  dropEverything,
  migrateRest,
  shapeAfter,
  startTriggers,
  type State,
  selectDatabaseState,
} from './schema/queries.ts'
import { secretsToWrite, writeSecrets } from './secrets.ts'

export interface BackupRestoreOptions {
  /** Replaces an existing site. */
  force?: boolean
  /** Restores even while a server of this site is running on this machine. */
  whileRunning?: boolean
  /** Verifies everything and writes nothing. */
  dryRun?: boolean
  progress?: (what: 'verify' | 'media' | 'rows', done: number, all: number) => void
}

export interface RestoreReport {
  release: string
  created: string
  rows: number
  media: { count: number; bytes: number }
  /** Whether secrets have been written. */
  secrets: boolean
  missing: string[]
}

/**
 * Verifies the whole archive first. Then adds its blobs to the existing ones, which changes nothing visible. Then
 * replaces all rows in one transaction and verifies them again before it commits: the restore succeeds completely or
 * has no effect.
 */
export async function restore(
  source: BackupSource,
  file: string,
  options: BackupRestoreOptions = {},
): Promise<RestoreReport> {
  const { config, media } = source
  const { force = false, whileRunning = false, dryRun = false, progress = () => {} } = options
  const { size } = statSync(file)
  const mustNotBeServed = () => {
    if (!whileRunning && isServerLockHeld(config)) throw new BackupRefusal(running)
  }
  const bar = (what: 'verify' | 'media' | 'rows') => (done: number) => progress(what, done, size)
  const contents = await readArchive(file, { progress: bar('verify') })
  const secrets = secretsToWrite(config, contents, force)
  await mustBeFree(source, contents, force)
  const report = reportOf(contents, secrets !== undefined)
  if (dryRun) return report
  mustNotBeServed()

  const store = await openStore(config, { isMaintenance: true })
  try {
    const { state } = await stateNow(store)
    if (state !== 'empty' && !force) throw inUse(state)
    const isCurrent = state === 'whole' && (await pendingMigrations(store)).length === 0
    await readArchive(file, {
      progress: bar('media'),
      async bytes(hash, length, bytes) {
        if (isCurrent) await claimBlob({ store }, hash, length)
        const received = await media.receive(bytes, length)
        if (received.hash === hash) await received.keep()
        else await received.discard() // the reader reports the wrong hash
      },
    })
    mustNotBeServed() // again, because copying blobs may take long
    await store.db.transaction().execute(async tx => {
      await store.lockMigrations(tx)
      await replaceRows(store, tx, file, { progress: bar('rows') })
      await registerUnusedBlobs(tx, media, hash => contents.hashes.has(hash))
      if (secrets !== undefined) await writeSecrets(config, secrets)
    })
    return report
  } finally {
    await store.close()
  }
}

function reportOf({ metadata, manifest }: ArchiveContents, secrets: boolean): RestoreReport {
  const { release, created } = metadata
  const { count, bytes } = manifest.media
  const rows = Object.values(manifest.tables).reduce((sum, table) => sum + table.rows, 0)
  return { release, created, rows, media: { count, bytes }, secrets, missing: manifest.missing }
}

const stateNow = async (store: Store) => selectDatabaseState(store, await shapeAfter(migrations.length))

const inUse = (state: State) =>
  new BackupRefusal(
    state === 'unfinished'
      ? 'The store is the target of a copy that has not been finished. --force replaces it.'
      : 'There is a site in this store already. --force replaces all of it.',
  )

const running =
  'A server is running on this site, and would go on with the old secrets and with what it has in memory. Stop it first. ' +
  'With --while-running the site is restored all the same, and the server has to be restarted at once.'

/** Opens the database only if it exists: opening would create the SQLite file. */
async function mustBeFree({ config, media }: BackupSource, { hashes }: ArchiveContents, force: boolean): Promise<void> {
  if (config.database.url !== undefined || existsSync(sqlitePath(config))) {
    const store = await openStore(config, { isMaintenance: true })
    try {
      const { state } = await stateNow(store)
      if (state === 'foreign')
        throw new BackupRefusal('The database has tables that are not of Quoin. Use another one.')
      if (state !== 'empty' && !force) throw inUse(state)
      if (state === 'whole') await pendingMigrations(store) // throws if a newer release made the database
    } finally {
      await store.close()
    }
  }
  if (force) return
  for await (const hash of media.list())
    if (!hashes.has(hash))
      throw new BackupRefusal(
        'The media storage has bytes that are not in the archive: it may belong to another site. With --force they are removed when the server runs.',
      )
}

/**
 * Drops the old tables, creates and fills those of the archive, then runs the migrations that the archive does not
 * have.
 */
async function replaceRows(
  store: Store,
  tx: Tx,
  file: string,
  { progress }: { progress: (done: number) => void },
): Promise<void> {
  const { metadata, manifest, shape } = await readArchive(file, {
    progress,
    async metadata({ migrations: applied }, archived) {
      await dropEverything(store, tx, await shapeAfter(migrations.length))
      await createSchema(store, tx, applied, archived)
    },
    rows: (table, rows) => insertRows(store, tx, table, rows),
  })
  for (const table of shape.tables) {
    const { rows, sha256 } = await digestOf(batchesOf(snapshotIn(store, tx), table))
    const expected = manifest.tables[table.name]!
    if (rows !== expected.rows || sha256 !== expected.sha256)
      throw new Error(`${table.name} is not what has been written into it; nothing was kept`)
  }
  await startTriggers(store, tx, shape)
  await migrateRest(store, tx, metadata.migrations.length)
  await reindexAll(store, work => work(tx))
}

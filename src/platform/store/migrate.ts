import { type Kysely, sql } from 'kysely'
import { ConfigError } from '../config.ts'
import { up as accounts } from './migrations/001-accounts.ts'
import { up as signIn } from './migrations/002-sign-in.ts'
import { up as users } from './migrations/003-users.ts'
import { up as events } from './migrations/004-events.ts'
import { up as counts } from './migrations/005-counts.ts'
import { up as content } from './migrations/006-content.ts'
import { up as search } from './migrations/007-search.ts'
import { up as links } from './migrations/008-links.ts'
import { up as names } from './migrations/009-names.ts'
import { up as filesFound } from './migrations/010-files-found.ts'
import { up as conversions } from './migrations/011-conversions.ts'
import { up as trash } from './migrations/012-trash.ts'
import { up as drafts } from './migrations/013-drafts.ts'
import { up as feed } from './migrations/014-feed.ts'
import { up as queue } from './migrations/015-queue.ts'
import { up as previews } from './migrations/017-previews.ts'
import { up as redirects } from './migrations/018-redirects.ts'
import { up as presence } from './migrations/020-presence.ts'
import { up as countsPerStatement } from './migrations/021-counts-per-statement.ts'
import { up as publishScope } from './migrations/022-publish-scope.ts'
import { up as documents } from './migrations/023-documents.ts'
import { up as extensionJobs } from './migrations/024-extension-jobs.ts'
import { up as draftsByTime } from './migrations/025-drafts-by-time.ts'
import { up as userSettings } from './migrations/026-user-settings.ts'
import { up as fileVersions } from './migrations/027-file-versions.ts'
import { up as reviews } from './migrations/028-reviews.ts'
import { up as comments } from './migrations/029-comments.ts'
import { up as releases } from './migrations/030-releases.ts'
import { up as presenceSays } from './migrations/032-presence-says.ts'
import { type Engine, type EngineName, now } from './store.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a migration must not know today's schema
type Migration = (db: Kysely<any>, engine: EngineName) => Promise<void>

/** Every migration, in order. A released name never changes. */
export const migrations: [name: string, up: Migration][] = [
  ['001-accounts', accounts],
  ['002-sign-in', signIn],
  ['003-users', users],
  ['004-events', events],
  ['005-counts', counts],
  ['006-content', content],
  ['007-search', search],
  ['008-links', links],
  ['009-names', names],
  ['010-files-found', filesFound],
  ['011-conversions', conversions],
  ['012-trash', trash],
  ['013-drafts', drafts],
  ['014-feed', feed],
  ['015-queue', queue],
  ['017-previews', previews],
  ['018-redirects', redirects],
  ['020-presence', presence],
  ['021-counts-per-statement', countsPerStatement],
  ['022-publish-scope', publishScope],
  ['023-documents', documents],
  ['024-extension-jobs', extensionJobs],
  ['025-drafts-by-time', draftsByTime],
  ['026-user-settings', userSettings],
  ['027-file-versions', fileVersions],
  ['028-reviews', reviews],
  ['029-comments', comments],
  ['030-releases', releases],
  ['032-presence-says', presenceSays],
]

/** The database has migrations that this release does not know: a newer release wrote it. */
export class NewerStore extends Error {
  constructor(release: string) {
    super(
      `This store was last used by Quoin ${release}, which is newer than this program. ` +
        `Install Quoin ${release} or newer; this release would damage the data.`,
    )
    this.name = 'NewerStore'
  }
}

/** Runs the pending migrations in one transaction, under a lock, and returns their names. */
export async function migrate(engine: Engine, release: string, list = migrations): Promise<string[]> {
  return engine.db.transaction().execute(async tx => {
    await engine.lockMigrations(tx)
    const done = new Map((await appliedIn(engine, tx)).map(row => [row.name, row.release]))
    refuseNewer(done, list)
    const pending = list.filter(([name]) => !done.has(name))
    await sql`create table if not exists migrations (
      name text primary key, release text not null, applied_at bigint not null
    )`.execute(tx)
    for (const [name, up] of pending) {
      await up(tx, engine.name)
      await tx.insertInto('migrations').values({ name, release, applied_at: now }).execute()
    }
    return pending.map(([name]) => name)
  })
}

/** The names of the migrations that `migrate` would run. */
export async function pendingMigrations(engine: Engine, list = migrations): Promise<string[]> {
  const done = new Map((await appliedIn(engine, engine.db)).map(row => [row.name, row.release]))
  refuseNewer(done, list)
  return list.map(([name]) => name).filter(name => !done.has(name))
}

/** Name of a row in `migrations` that marks the database as the target of an unfinished `quoin copy`. */
export const unfinished = '~unfinished'

function refuseNewer(done: Map<string, string>, list: typeof migrations): void {
  if (done.has(unfinished))
    throw new ConfigError([
      'This store is the target of a copy that has not been finished. Run the same "quoin copy" again, or use another store.',
    ])
  const knownNames = new Set(list.map(([name]) => name))
  const unknown = [...done].findLast(([name]) => !knownNames.has(name))
  if (unknown) throw new NewerStore(unknown[1])
}

async function appliedIn(engine: Engine, db: Engine['db']): Promise<{ name: string; release: string }[]> {
  const catalogue =
    engine.name === 'postgres'
      ? sql<{
          found: number
        }>`select 1 as found from pg_tables where schemaname = current_schema() and tablename = 'migrations'`
      : sql<{ found: number }>`select 1 as found from sqlite_master where type = 'table' and name = 'migrations'`
  const { rows } = await catalogue.execute(db)
  return rows.length === 0 ? [] : db.selectFrom('migrations').select(['name', 'release']).orderBy('name').execute()
}

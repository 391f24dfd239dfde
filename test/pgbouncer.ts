/** A real PgBouncer in transaction mode, if it is installed. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../tools/free-port.ts'
import { beforeCleanUp } from './harness.ts'

/** The id of the user `nobody`: PgBouncer does not run as root. */
const nobodyId = 65_534

/** The program: the one in QUOIN_TEST_PGBOUNCER, on the path, or where Debian's package installs it. */
const found = [process.env['QUOIN_TEST_PGBOUNCER'] ?? 'pgbouncer', '/usr/sbin/pgbouncer']
  .map(program => ({ program, version: versionOf(program) }))
  .find(({ version }) => version !== undefined)

function versionOf(program: string): string | undefined {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  return /^PgBouncer (\d+\.\d+)/.exec(stdout ?? '')?.[1]
}

export const hasPgBouncer = found !== undefined

/** PgBouncer 1.21 and later supports prepared statements in transaction mode. */
export const keepsStatements = Number(found?.version?.split('.')[1]) >= 21

export interface PgBouncer {
  url: string
  /** Replaces the server, without closing the connections of the clients. */
  redirectTo(target: string): Promise<void>
  /** Replaces the connections to the server. */
  reconnect(): Promise<void>
}

export async function startPgBouncer(target: string, poolSize: number): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-pgbouncer-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const configure = (url: string) => {
    const { hostname, port: serverPort, pathname } = new URL(url)
    writeFileSync(
      file,
      `[databases]
site = host=${decodeURIComponent(hostname)} port=${serverPort} dbname=${pathname.slice(1)} user=quoin
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
admin_users = quoin
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 100
${keepsStatements ? 'max_prepared_statements = 200' : ''}
`,
    )
  }
  configure(target)
  const identity = process.getuid?.() === 0 ? { uid: nobodyId, gid: nobodyId } : {}
  const child = spawn(found!.program, [file], { ...identity, stdio: ['ignore', 'ignore', 'pipe'] })
  beforeCleanUp(async () => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  await new Promise<void>((ready, failed) => {
    let log = ''
    child.stderr.on('data', chunk => {
      log += String(chunk)
      if (log.includes('process up')) ready()
    })
    child.once('exit', code => failed(new Error(`PgBouncer ended with ${code}:\n${log}`)))
  })
  const command = async (text: string) => {
    const client = new pg.Client(`postgres://quoin@127.0.0.1:${port}/pgbouncer`)
    await client.connect()
    await client.query(text)
    await client.end()
  }
  return {
    url: `postgres://quoin@127.0.0.1:${port}/site`,
    async redirectTo(next) {
      configure(next)
      await command('reload')
      await command('reconnect')
    },
    reconnect: () => command('reconnect'),
  }
}

/** etcd and three nodes of Patroni with PostgreSQL, from `deploy/patroni/patroni.yml`. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../free-port.ts'
import { configurationOf, isListening, replaceParts } from '../server-program.ts'
import { findProgram, findPostgresPrograms } from './packages.ts'
import { signalAll, treeOf } from './processes.ts'
import { type Identity, Service, waitUntil } from './service.ts'

export const databasePassword = 'quoin-password'
const superuserPassword = 'superuser-password'

/** The size of the tmpfs of a node. It takes only as much memory as is used. */
const diskSize = '1g'

export interface Node {
  name: string
  port: number
  /** The port of the HTTP interface of Patroni. */
  api: number
  data: string
  patroni: Service
  /** Whether its data is on a small disk of its own, which the drill can fill. */
  hasDisk: boolean
}

export interface Cluster {
  nodes: readonly Node[]
  /** Starts nodes that do not run, and waits for a primary and two standbys, one of them synchronous. */
  heal(seconds: number): Promise<void>
  /** The node that Patroni calls the leader. */
  primary(): Promise<Node>
  switchover(): Promise<void>
  /** Runs `pg_ctl` without output: the server would inherit a pipe and keep it open. */
  control(node: Node, ...words: string[]): void
}

interface Member {
  name: string
  role: string
  state: string
}

const isRoot = process.getuid?.() === 0

/** PostgreSQL does not run as root: it runs as the user that Debian's package creates. */
export function postgresIdentity(): Identity {
  if (!isRoot) return {}
  const [, , uid, gid] = readFileSync('/etc/passwd', 'utf8')
    .match(/^postgres:.*$/m)![0]
    .split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

function mountDisk(folder: string): boolean {
  if (!isRoot) return false
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskSize},mode=0755`, 'quoin-drill', folder], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}

/** Calls `onCleanUp` with a function that ends and removes all nodes, before the first one is started. */
export async function startCluster(
  folder: string,
  logs: string,
  onCleanUp: (cleanUp: () => void) => void,
): Promise<Cluster> {
  const identity = postgresIdentity()
  const etcdPort = await freePort()
  const etcdUrl = `http://127.0.0.1:${etcdPort}`
  const peerUrl = `http://127.0.0.1:${await freePort()}`
  const flags = Object.entries({
    name: 'one',
    'data-dir': join(folder, 'etcd'),
    'log-level': 'warn',
    'listen-client-urls': etcdUrl,
    'advertise-client-urls': etcdUrl,
    'listen-peer-urls': peerUrl,
    'initial-advertise-peer-urls': peerUrl,
    'initial-cluster': `one=${peerUrl}`,
  }).map(([name, value]) => `--${name}=${value}`)
  const etcd = new Service({
    name: 'etcd',
    command: [findProgram('etcd')!, ...(needsApiV2() ? ['--enable-v2=true'] : []), ...flags],
    logs,
  })
  etcd.start()
  await waitUntil('etcd listens', 30, () => isListening(etcdPort))

  const nodes: Node[] = []
  onCleanUp(() => nodes.forEach(destroyNode))
  for (const name of ['db1', 'db2', 'db3']) nodes.push(await createNode(name, { folder, logs, etcdPort, identity }))
  const runningNodes = () => nodes.filter(({ patroni }) => patroni.isRunning)
  const programs = findPostgresPrograms()!

  async function members(): Promise<Member[]> {
    for (const { api } of runningNodes()) {
      try {
        const answer = await fetch(`http://127.0.0.1:${api}/cluster`, { signal: AbortSignal.timeout(2000) })
        return ((await answer.json()) as { members: Member[] }).members
      } catch {
        // another node may answer
      }
    }
    return []
  }

  async function primary(): Promise<Node> {
    let found: Node | undefined
    await waitUntil('there is a primary', 60, async () => {
      const leader = (await members()).find(({ role, state }) => role === 'leader' && state === 'running')
      found = nodes.find(({ name }) => name === leader?.name)
      return found !== undefined
    })
    return found!
  }

  async function isHealthy(): Promise<boolean> {
    const found = await members()
    const countOf = (role: string, states: string[]) =>
      found.filter(one => one.role === role && states.includes(one.state)).length
    return (
      countOf('leader', ['running']) === 1 &&
      countOf('sync_standby', ['running', 'streaming']) === 1 &&
      countOf('replica', ['running', 'streaming']) === 1
    )
  }

  const cluster: Cluster = {
    nodes,
    primary,
    async heal(seconds) {
      for (const { patroni } of nodes) if (!patroni.isRunning) patroni.start()
      await waitUntil('the cluster has a primary and two standbys', seconds, isHealthy)
    },
    async switchover() {
      const { name, api } = await primary()
      const standby = (await members()).find(({ role }) => role === 'sync_standby')!
      const answer = await fetch(`http://127.0.0.1:${api}/switchover`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('patroni:restapi-password')}` },
        body: JSON.stringify({ leader: name, candidate: standby.name }),
      })
      if (!answer.ok) throw new Error(`the switchover was refused: ${await answer.text()}`)
    },
    control: ({ data }, ...words) =>
      void execFileSync(join(programs, 'pg_ctl'), ['-D', data, ...words], { ...identity, cwd: '/', stdio: 'ignore' }),
  }
  // The first node creates the database, the others copy it.
  nodes[0]!.patroni.start()
  const first = await primary()
  await createDatabase(first.port)
  await cluster.heal(120)
  return cluster
}

/** Patroni before 3.0.3 needs the API v2 of etcd, see `deploy/patroni/patroni.yml`. */
function needsApiV2(): boolean {
  const { stdout } = spawnSync(findProgram('patroni')!, ['--version'], { encoding: 'utf8' })
  const [, major = '0', minor = '0', patch = '0'] = /(\d+)\.(\d+)\.(\d+)/.exec(stdout) ?? []
  return [major, minor, patch].map(part => part.padStart(4, '0')).join('') < '000300000003'
}

interface NodeOptions {
  folder: string
  logs: string
  etcdPort: number
  identity: Identity
}

async function createNode(name: string, { folder, logs, etcdPort, identity }: NodeOptions): Promise<Node> {
  const own = join(folder, name)
  mkdirSync(own, { mode: 0o755 })
  const hasDisk = mountDisk(own)
  const data = join(own, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (identity.uid !== undefined) for (const one of [own, data]) chownSync(one, identity.uid, identity.gid!)
  const [port, api] = [await freePort(), await freePort()]
  const text = replaceParts(
    configurationOf('patroni/patroni.yml'),
    ['name: db1', `name: ${name}`],
    ['\netcd3:\n', needsApiV2() ? '\netcd:\n' : '\netcd3:\n'],
    ['10.0.0.31:2379,10.0.0.32:2379,10.0.0.33:2379', `127.0.0.1:${etcdPort}`],
    ['10.0.0.21:8008', `127.0.0.1:${api}`],
    ['10.0.0.21:5432', `127.0.0.1:${port}`],
    ['10.0.0.0/24', '127.0.0.1/32'],
    ['/var/lib/postgresql/15/quoin', data],
    ['/usr/lib/postgresql/15/bin', findPostgresPrograms()!],
    ['/var/lib/postgresql/quoin.pgpass', join(own, 'pgpass')],
    ['/var/run/postgresql', own],
  )
  const file = join(folder, `${name}.yml`)
  writeFileSync(file, text)
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  const patroni = new Service({ name, command: [findProgram('patroni')!, file], logs, cwd: own, env, identity })
  return { name, port, api, data, patroni, hasDisk }
}

function destroyNode(node: Node): void {
  node.patroni.signal('SIGKILL', 'group')
  const processes = postgresProcesses(node)
  signalAll(processes, 'SIGKILL')
  if (node.hasDisk) execFileSync('umount', ['--lazy', join(node.data, '..')], { stdio: 'pipe' })
}

/** The ids of the PostgreSQL server of a node, and of the processes that it has started. */
export function postgresProcesses({ data }: Node): number[] {
  const file = join(data, 'postmaster.pid')
  if (!existsSync(file)) return []
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  return Number.isInteger(pid) && existsSync(`/proc/${pid}`) ? treeOf(pid) : []
}

async function createDatabase(port: number): Promise<void> {
  const client = new pg.Client(`postgres://postgres:${superuserPassword}@127.0.0.1:${port}/postgres`)
  await client.connect()
  await client.query(`create role quoin login password '${databasePassword}'`)
  await client.query("create database quoin owner quoin encoding 'UTF8' template template0")
  await client.end()
}

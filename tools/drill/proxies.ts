/** HAProxy and PgBouncer, with the files of `deploy/`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { certificate } from '../../test/certificate.ts'
import { freePort } from '../free-port.ts'
import { configurationOf, isListening, replaceParts } from '../server-program.ts'
import { type Cluster, databasePassword, postgresIdentity } from './cluster.ts'
import { findProgram } from './packages.ts'
import { Service, waitUntil } from './service.ts'

const notAsOwnUser = ['  user haproxy\n  group haproxy\n', ''] as const

/** HAProxy in front of PostgreSQL: connects to the primary. */
export async function startDatabaseProxy(folder: string, logs: string, { nodes }: Cluster): Promise<Proxy> {
  const port = await freePort()
  const text = replaceParts(
    configurationOf('patroni/haproxy.cfg'),
    notAsOwnUser,
    ['127.0.0.1:5000', `127.0.0.1:${port}`],
    [' port 8008', ''],
    ...nodes.map(({ port: own, api }, index) => [`10.0.0.2${index + 1}:5432`, `127.0.0.1:${own} port ${api}`] as const),
  )
  return startHaproxy('haproxy-database', { folder, logs, text, port })
}

/** HAProxy in front of the instances of Quoin. */
export async function startWebProxy(folder: string, logs: string, backends: readonly number[]): Promise<Proxy> {
  const port = await freePort()
  const pem = join(folder, 'cms.example.org.pem')
  writeFileSync(pem, certificate.cert + certificate.key)
  const text = replaceParts(
    configurationOf('haproxy.cfg'),
    notAsOwnUser,
    ['bind :80\n', `bind 127.0.0.1:${await freePort()}\n`],
    ['bind :443 ', `bind 127.0.0.1:${port} `],
    ['/etc/haproxy/certs/cms.example.org.pem', pem],
    ['10.0.0.11:4080', `127.0.0.1:${backends[0]}`],
    ['10.0.0.12:4080', `127.0.0.1:${backends[1]}`],
  )
  return startHaproxy('haproxy-web', { folder, logs, text, port })
}

export interface Proxy {
  port: number
  service: Service
}

interface HaproxyOptions {
  folder: string
  logs: string
  text: string
  port: number
}

async function startHaproxy(name: string, { folder, logs, text, port }: HaproxyOptions): Promise<Proxy> {
  const file = join(folder, `${name}.cfg`)
  writeFileSync(file, text)
  // -W, as systemd starts it: a main process that reloads on SIGUSR2.
  const service = new Service({ name, command: [findProgram('haproxy')!, '-W', '-f', file], logs })
  service.start()
  await waitUntil(`${name} listens`, 30, () => isListening(port))
  return { port, service }
}

/** PgBouncer in transaction mode, between Quoin and HAProxy. */
export async function startPgBouncer(folder: string, logs: string, database: number): Promise<Proxy> {
  const port = await freePort()
  const users = join(folder, 'userlist.txt')
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(users, `"quoin" "${databasePassword}"\n`)
  const text = replaceParts(
    configurationOf('pgbouncer.ini'),
    ['host=10.0.0.21 port=5432 ', `host=127.0.0.1 port=${database} `],
    ['listen_port = 6432', `listen_port = ${port}\nunix_socket_dir =`],
    ['/etc/pgbouncer/userlist.txt', users],
  )
  writeFileSync(file, text)
  const identity = postgresIdentity()
  const service = new Service({ name: 'pgbouncer', command: [findProgram('pgbouncer')!, file], logs, identity })
  service.start()
  await waitUntil('PgBouncer listens', 30, () => isListening(port))
  return { port, service }
}

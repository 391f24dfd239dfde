/** A fault-tolerant installation, on the loopback interface and in one temporary folder. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../memory.ts'
import { type Cluster, databasePassword, startCluster } from './cluster.ts'
import { createClient, type Send } from './http.ts'
import { type Proxy, startDatabaseProxy, startPgBouncer, startWebProxy } from './proxies.ts'
import { type Site, startSite } from './quoin.ts'
import { type S3, startS3 } from './s3.ts'
import { killServices } from './service.ts'

export interface System {
  folder: string
  cluster: Cluster
  databaseProxy: Proxy
  pooler: Proxy
  webProxy: Proxy
  s3: S3
  site: Site
  send: Send
}

const cleanUps: (() => void)[] = []

/** Ends and removes everything. May be called at any moment. */
export function destroySystem(): void {
  for (const cleanUp of cleanUps.splice(0).toReversed()) cleanUp()
}

export async function startSystem(say: (line: string) => void): Promise<System> {
  const folder = mkdtempSync(join(temporaryFolder(), 'quoin-drill-'))
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }), killServices)
  chmodSync(folder, 0o755) // PostgreSQL and PgBouncer run as another user
  const logs = join(folder, 'logs')
  mkdirSync(logs)
  say(`starting etcd and three nodes of PostgreSQL in ${folder}`)
  const cluster = await startCluster(folder, logs, cleanUp => cleanUps.push(cleanUp))
  say('starting HAProxy, PgBouncer and S3')
  const databaseProxy = await startDatabaseProxy(folder, logs, cluster)
  const pooler = await startPgBouncer(folder, logs, databaseProxy.port)
  const s3 = await startS3(logs)
  say('starting two Quoin with two workers each')
  const site = await startSite(folder, logs, {
    ...s3.environment,
    QUOIN_URL: 'https://cms.example.org',
    QUOIN_TRUSTED_PROXIES: '127.0.0.1',
    QUOIN_DATABASE_URL: `postgres://quoin:${databasePassword}@127.0.0.1:${pooler.port}/quoin`,
    // All sign-ins of the drill are those of one account.
    QUOIN_AUTH_THROTTLE: 'false',
  })
  const webProxy = await startWebProxy(
    folder,
    logs,
    site.instances.map(({ port }) => port),
  )
  return { folder, cluster, databaseProxy, pooler, webProxy, s3, site, send: createClient(webProxy.port) }
}

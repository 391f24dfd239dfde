import { availableParallelism, totalmem } from 'node:os'
import type { Logger } from 'pino'
import type { Blueprints } from './blueprints/blueprints.ts'
import { openBlueprints } from './blueprints/open.ts'
import type { SitePermissions } from './blueprints/permissions/create.ts'
import { openExtensions } from './extensions/open.ts'
import type { Extensions } from './extensions/loaded-extension.ts'
import { type Config, ConfigError } from './platform/config.ts'
import { atMostEvery } from './platform/lib/at-most-every.ts'
import { type ConcurrencyLimiter, createLimiter } from './platform/lib/concurrency-limiter.ts'
import { createLog } from './platform/log.ts'
import type { Media } from './platform/media/media.ts'
import { openMedia } from './platform/media/open.ts'
import { openThumbnails, type Thumbnails } from './platform/media/thumbnails.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import { release } from './platform/release.ts'
import type { Runtime } from './platform/runtime.ts'
import { openSecrets, type Secrets } from './platform/secrets.ts'
import { claimKeys, printsOf } from './platform/store/key-prints.ts'
import { migrate } from './platform/store/migrate.ts'
import { openStore, type StoreOptions } from './platform/store/open.ts'
import type { Store } from './platform/store/store.ts'
import type { WorkerProcess } from './platform/worker-process.ts'

/**
 * The running application. Opened once at the start, or once per test; operations get it in their context.
 */
export interface App extends Runtime {
  blueprints: Blueprints
  /** The permissions that roles and tokens can have. */
  permissions: SitePermissions
  extensions: Extensions
  /** Storage of the bytes of files. */
  media: Media
  thumbnails: Thumbnails
  metrics: Metrics
  /** Undefined if this is the only process that `quoin start` runs. */
  worker: WorkerProcess | undefined
  /** The migrations that ran when the store was opened. */
  migrated: readonly string[]
  /** Limits password hashing: each hash takes a core and 19 MiB or more for about 100 ms. */
  hashing: ConcurrencyLimiter
  /** True at most once a second: a flood of sign-ins must not fill the log. */
  isOverloadLogDue: () => boolean
  close(): Promise<void>
}

export interface AppOptions extends StoreOptions {
  log?: Logger
  worker?: WorkerProcess | undefined
}

export async function openApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { worker } = options
  const log = options.log ?? createLog(config, worker?.number)
  const extensions = await openExtensions(config, log)
  const secrets = openSecrets(config)
  const migrated = await migrateStore(config, options)
  const store = await openStore(config, {
    onError: error => log.warn({ error: error.message }, 'lost a database connection'),
    onNotice: text => log.warn(text),
    processes: worker?.count,
    ...options,
  })
  try {
    await refuseForeignSecrets(store, secrets)
  } catch (error) {
    await store.close()
    throw error
  }
  const blueprints = openBlueprints(config.folder, extensions.blueprintParts)
  const running = new Set<Promise<void>>()
  const media = openMedia(config, log)
  const thumbnails = openThumbnails({ config, media, log })
  return {
    config,
    secrets,
    blueprints,
    permissions: extensions.blueprintParts.permissions,
    extensions,
    store,
    media,
    thumbnails,
    metrics: createMetrics(),
    log,
    worker,
    migrated,
    hashing: createHashQueue(hashSlots(config, worker?.count)),
    isOverloadLogDue: atMostEvery(1000),
    background(work) {
      const promise = work()
        .catch((error: unknown) => log.error({ err: error }, 'background work failed'))
        .finally(() => running.delete(promise))
      running.add(promise)
    },
    async close() {
      blueprints.close()
      await Promise.all([...running, thumbnails.close()])
      await store.close()
    },
  }
}

async function migrateStore(config: Config, options: AppOptions): Promise<string[]> {
  const store = await openStore(config, { ...options, isMaintenance: true })
  try {
    return await migrate(store, release)
  } finally {
    await store.close()
  }
}

/**
 * How many hashes run in parallel: leaves one core for requests, two threads of the pool for files, and three quarters
 * of the memory. Workers share the cores and the memory, and take turns if there are more of them than cores to hash
 * with (`inTurn`).
 */
function hashSlots(config: Config, workers = 1): number {
  const memory = process.constrainedMemory() || totalmem()
  const byMemory = Math.floor((Math.min(memory, totalmem()) * 0.25) / (config.auth.argon2.memory * 1024))
  const byThreads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) - 2
  const slots = Math.min((availableParallelism() - 1) / workers, byThreads, byMemory / workers)
  return Math.max(1, Math.floor(slots))
}

/**
 * The queue has about as many places as hashes finish in two seconds (`timeoutMs`), at most half of them for one
 * network. Some more are reserved for known devices.
 */
export function createHashQueue(slots: number, timeoutMs = 2000): ConcurrencyLimiter {
  const maxWaiting = slots * 12
  return createLimiter({ slots, maxWaiting, maxWaitingPerNetwork: maxWaiting / 2, reserved: slots * 2, timeoutMs })
}

async function refuseForeignSecrets(store: Store, secrets: Secrets): Promise<void> {
  const foreign = await claimKeys(store, printsOf(secrets))
  if (foreign.length > 0) {
    throw new ConfigError([
      `These secrets (${foreign.map(({ ring }) => ring).join(', ')}) are not the ones that this store was created with. ` +
        'Every machine on one store needs the same data/secrets.json or the same QUOIN_SECRETS_… variables.',
    ])
  }
}

import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join, relative } from 'node:path'
import { type App, openApp } from '../app.ts'
import { startSweeping } from '../groups/auth/sweep.ts'
import type { Config, Settings } from '../platform/config.ts'
import { startSending } from '../platform/mail/outbox.ts'
import { lowerPoolPriority } from '../platform/lib/threads.ts'
import { startSchedule } from '../groups/pages/schedule/due.ts'
import { dueReleases } from '../groups/site/releases/due.ts'
import { release } from '../platform/release.ts'
import { openWorkerProcess } from '../platform/worker-process.ts'
import { createServer } from '../server.ts'
import { acquireServerLock } from '../platform/store/server-lock.ts'
import { forgetRemoved } from '../groups/system/extensions/extensions.ts'
import { createSetupToken, isInstalled } from '../groups/system/system.ts'
import { purgeWithoutEvent, startPurging } from '../groups/system/purge/purge.ts'
import { startWebhooks } from '../groups/system/webhooks/deliver.ts'
import { type InitialImportReport, importSiteFolder } from './initial-import/initial-import.ts'
import { collectGarbageWhenIdle, limitHeap } from './memory.ts'
import { isWrapped, whenOrphaned } from './orphan.ts'
import { siteConfig } from './site-config.ts'
import { createStop } from './stop.ts'
import { print, type Terminal } from './terminal.ts'

export interface StartOptions {
  port?: number
  host?: string
  data?: string
  json?: boolean
}

/** Serves the site until it receives a signal, then finishes the requests in flight. */
export async function start(
  site: string,
  { json = false, port, host, data }: StartOptions,
  terminal: Terminal,
): Promise<void> {
  limitHeap()
  const config = await siteConfig(site, terminal, { port, host, data } satisfies Settings)
  const worker = openWorkerProcess(terminal.env)
  const { number = 1, isFirst = true } = worker ?? {}
  const app = await openApp(config, { worker })
  const shutdown = { isDraining: false }
  const server = createServer(app, undefined, shutdown)
  let token: string | undefined
  const endServing = acquireServerLock(config)
  let filled: InitialImportReport | undefined
  try {
    await app.media.checkWritable()
    if (isFirst) filled = await importSiteFolder(app, terminal)
    if (isFirst && !(await isInstalled(app))) token = await createSetupToken(app)
    await server.listen({ host: config.host, port: config.port })
  } catch (error) {
    await app.close()
    endServing()
    throw error
  }
  const endSweeping = number === 1 ? startSweeping(app) : () => {}
  const endSending = startSending(app)
  const endWebhooks = await startWebhooks(app)
  const endPurging = await startPurging(app)
  const endSchedule = number === 1 ? startSchedule(app, { also: [dueReleases] }) : async () => {}
  const endExtensions = await startExtensions(app, number === 1)
  collectGarbageWhenIdle()
  app.background(() => lowerPoolPriority(10))

  async function finish(signal: string): Promise<void> {
    endSweeping()
    await Promise.all([server.close(), endSending(), endWebhooks(), endPurging(), endSchedule(), endExtensions()])
    await app.close()
    endServing()
    app.log.info({ signal }, 'stopped')
    worker?.leave()
  }
  const stop = createStop({ log: app.log, shutdown, drainSeconds: drainSeconds(config), finish })
  // Before the server reports that it is up: the signal to stop may follow at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(signal))
  process.on('SIGHUP', () => worker ?? void stop('SIGHUP')) // the supervisor of workers decides what it means
  if (!worker && isWrapped(terminal.env)) whenOrphaned(() => void stop('SIGTERM'))

  const { port: used } = server.addresses()[0] as AddressInfo
  const url = config.url.replace(/:0$/, `:${used}`)
  const setup = token && setupLink(url, token)
  const facts = { status: 'ok', url, port: used, installed: !setup, setup, filled }
  if (isFirst) print(terminal, json, facts, welcome(config, url, token, filled))
  if (app.migrated.length > 0) app.log.info({ migrations: app.migrated }, 'migrated the store')
  app.log.info({ release, url, store: app.store.name, pid: process.pid }, 'started')
  worker?.ready(config.log)
  if (isFirst) {
    for (const line of warnings(config)) app.log.warn(line)
    for (const extension of config.withoutExtensions) app.log.warn({ extension }, 'this extension is left out')
    if (filled) warnOfSkipped(app, filled)
    warnOfBlueprints(app)
  }
  if (config.development) followBlueprints(app, number === 1)
}

/** Loaded lazily: most of it is not needed on a site without extensions. */
async function startExtensions(app: App, schedulesJobs: boolean): Promise<() => Promise<void>> {
  if (app.extensions.list.length === 0) {
    await forgetRemoved(app)
    return async () => {}
  }
  const { logUnhandledErrors } = await import('../extensions/acting.ts')
  logUnhandledErrors(app)
  const { startExtensions: startAll } = await import('../extensions/start.ts')
  return startAll(app, { schedulesJobs })
}

/** Every worker reads changed blueprints; one of them reports mistakes, updates the types and purges caches. */
function followBlueprints(app: App, reports: boolean): void {
  if (reports) app.background(() => updateTypings(app))
  app.blueprints.watch(() => {
    if (!reports) return
    warnOfBlueprints(app)
    app.background(() => updateTypings(app))
    app.background(() => purgeWithoutEvent(app))
  })
}

/** Nothing balances the load of a development server, and developers do not want to wait. */
const drainSeconds = ({ shutdown, development }: Config) => shutdown.drain ?? (development ? 0 : 5)

/**
 * Updates the generated types at the start and after a change of the blueprints, if they have been generated before.
 * Loaded lazily, to keep the start fast.
 */
async function updateTypings({ blueprints, extensions, config }: App): Promise<void> {
  const { defaultFileName, writeTypings } = await import('../transfer/typings/file.ts')
  const file = join(config.folder, defaultFileName)
  if (existsSync(file)) writeTypings(blueprints, extensions.endpoints, file)
}

const maxWarnings = 50

function warnOfSkipped({ log }: App, { skipped }: InitialImportReport): void {
  for (const { file, reason } of skipped.slice(0, maxWarnings)) log.warn({ file }, `not read: ${reason}`)
  const more = skipped.length - maxWarnings
  if (more > 0) log.warn(`there are ${more} more files that were not read; "quoin import" lists them`)
}

/** Mistakes in blueprints do not keep the server from starting. */
function warnOfBlueprints({ blueprints: { problems }, log }: App): void {
  for (const { message, ...place } of problems.slice(0, maxWarnings)) log.warn(place, `blueprint: ${message}`)
  const more = problems.length - maxWarnings
  if (more > 0) log.warn(`there are ${more} more problems in the blueprints; "quoin check" lists them`)
}

function welcome(
  config: Config,
  url: string,
  token: string | undefined,
  filled: InitialImportReport | undefined,
): string {
  const store = config.database.url === undefined ? `SQLite in ${relative('', config.data) || '.'}` : 'PostgreSQL'
  const lines = [
    '',
    `  Quoin serves ${relative('', config.folder) || '.'} (${store})`,
    '',
    `  Panel      ${url}/panel`,
    `  API        ${url}/api`,
    `  Reference  ${url}/reference`,
  ]
  if (filled) lines.push('', `  Read from content: ${filled.pages} pages and ${filled.files} files.`)
  if (token !== undefined) lines.push('', ...firstSteps(config, url, token))
  return [...lines, '', '  Stop with Ctrl-C.', ''].join('\n')
}

/** Browsers do not send the fragment after `#`, so the token appears in no log of a server or proxy. */
const setupLink = (url: string, token: string) => `${url}/panel/install#token=${token}`

/** How to create the first account: with the panel, or without it. */
function firstSteps(config: Config, url: string, token: string): string[] {
  const site = relative('', config.folder)
  return [
    '  There is no account yet. Make the first one here (keep this link to yourself):',
    `  ${setupLink(url, token)}`,
    '',
    '  or in another terminal:',
    `  npx quoin user create --email you@example.org${site ? ` --site ${site}` : ''}`,
  ]
}

function warnings(config: Config): string[] {
  return [
    ...(config.secure && config.trustedProxies.length === 0
      ? [
          'url is https, but trustedProxies is empty: requests that come through a proxy will be refused. Name the proxy there.',
        ]
      : []),
    ...(!config.secure && config.api.allowInsecure
      ? ['api.allowInsecure is on: passwords travel unprotected on this network']
      : []),
    ...(config.auth.throttle ? [] : ['auth.throttle is off: passwords can be guessed without limit']),
  ]
}

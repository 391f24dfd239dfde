import { createHash, timingSafeEqual } from 'node:crypto'
import { eventLoopUtilization, monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { bearerToken } from '../../access/session/identify.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import type { App } from '../../app.ts'
import { isLocal } from '../../groups/system/local.ts'
import { type Family, family, histogram, ofWorkers, prometheusText, prometheusType } from './prometheus.ts'
import { fail } from '../../platform/errors.ts'
import { countWaitingByQueue } from '../../platform/queue/queries.ts'
import { release } from '../../platform/release.ts'
import type { WorkerProcess } from '../../platform/worker-process.ts'

/**
 * `GET /metrics` for Prometheus: for clients on this machine that connect directly, and for those with `metrics.token`.
 * Like the health checks it does not look at the host name, and is also there without the base path.
 */
export function addMetricsRoute(server: FastifyInstance, app: App): void {
  const { base } = app.config
  const eventLoop = createEventLoopMetrics()
  const { worker } = app
  const ownFamilies = async () => [
    ...requestFamilies(app),
    family('gauge', 'quoin_http_connections', 'Open connections.', [[{}, await countConnections(server)]]),
    signIns(app),
    ...runFamilies(app),
    ...queueFamilies(app),
    ...storeFamilies(app),
    ...eventLoop(),
    ...processFamilies(app),
  ]
  worker?.onQuestion('metrics', async () => ({ worker: worker.number, families: await ownFamilies() }))

  for (const prefix of new Set([base, '']))
    server.get(`${prefix}/metrics`, async ({ exchange }, reply) => {
      authorizeScrape(app, exchange)
      const own = await ownFamilies()
      const families = worker ? await ofAllWorkers(worker, own) : own
      return reply.type(prometheusType).send(prometheusText([...families, ...(await jobFamilies(app))]))
    })
}

/**
 * All workers answer, whichever of them the scrape has reached; one that does not answer in time is missing. A worker that
 * is being replaced has the same number as its successor.
 */
async function ofAllWorkers(worker: WorkerProcess, own: Family[]): Promise<Family[]> {
  const others = (await worker.askOthers('metrics')) as { worker: number; families: Family[] }[]
  const all = [{ worker: worker.number, families: own }, ...others.filter(other => other.worker !== worker.number)]
  return ofWorkers(all.toSorted((one, other) => one.worker - other.worker))
}

const countConnections = ({ server }: FastifyInstance) =>
  new Promise<number>(resolve => server.getConnections((_, count) => resolve(count ?? 0)))

function authorizeScrape(app: App, exchange: HttpExchange): void {
  const { token } = app.config.metrics
  const given = bearerToken(exchange)
  if (token !== undefined && given !== undefined && isEqual(given, token)) return
  if (given === undefined && isLocal(app, exchange)) return
  throw fail(token === undefined ? 'notFound' : 'auth')
}

/** Hashes have one length, and comparing them takes the same time whatever they are. */
const isEqual = (one: string, other: string) => timingSafeEqual(digest(one), digest(other))
const digest = (text: string) => createHash('sha256').update(text).digest()

// ---- counted

function requestFamilies({ metrics }: App): Family[] {
  const used = metrics.allRequests().filter(({ byStatus }) => byStatus.size > 0)
  return [
    family(
      'counter',
      'quoin_http_requests_total',
      'Answered requests by endpoint and status.',
      used.flatMap(({ route: endpoint, byStatus }) =>
        [...byStatus].map(([status, count]) => [{ endpoint, status: String(status) }, count] as const),
      ),
    ),
    family(
      'counter',
      'quoin_http_cached_responses_total',
      'Requests that the response cache has answered, by endpoint.',
      used.map(({ route: endpoint, cached }) => [{ endpoint }, cached]),
    ),
    histogram(
      'quoin_http_request_duration_seconds',
      'Time from the headers of a request until its answer is sent, by endpoint.',
      used.map(({ route: endpoint, durations }) => [{ endpoint }, durations]),
    ),
  ]
}

function signIns({ metrics }: App): Family {
  const counts = Object.entries(metrics.signIns).map(([result, count]) => [{ result }, count] as const)
  return family('counter', 'quoin_sign_ins_total', 'Sign-ins by result.', counts)
}

/** Only on sites with extensions. */
function runFamilies({ metrics, extensions }: App): Family[] {
  if (extensions.list.length === 0) return []
  return [
    family(
      'counter',
      'quoin_extension_runs_total',
      'Runs of handlers and jobs of extensions by result.',
      metrics.allRuns().map(({ extension, part, result, count }) => [{ extension, part, result }, count] as const),
    ),
  ]
}

function storeFamilies({ store: { durations } }: App): Family[] {
  return [
    histogram('quoin_store_read_duration_seconds', 'Time of reads; one of sixteen is timed.', [[{}, durations.reads]]),
    histogram(
      'quoin_store_transaction_duration_seconds',
      'Time of committed transactions, with retries and waiting for locks.',
      [[{}, durations.transactions]],
    ),
  ]
}

// ---- as of now

/**
 * The same in every process: one of them asks for all. `quoin_store_up` is 0 if the store cannot be read: a scrape does
 * not fail because of it.
 */
async function jobFamilies(app: App): Promise<Family[]> {
  const jobs = await waitingJobs(app)
  const byQueue = new Map(['mail', 'webhooks', 'purge'].map(queue => [queue, 0]))
  for (const { queue, count } of jobs ?? []) byQueue.set(queue, count)
  return [
    family('gauge', 'quoin_store_up', 'Whether the store can be read.', [[{}, jobs ? 1 : 0]]),
    family(
      'gauge',
      'quoin_jobs_waiting',
      'Jobs of the store that wait, due or not, by queue: the same in every process.',
      jobs ? [...byQueue].map(([queue, count]) => [{ queue }, count] as const) : [],
    ),
  ]
}

function queueFamilies({ hashing: { running, waiting }, thumbnails }: App): Family[] {
  const inProcess = { passwords: { running, waiting }, thumbnails: thumbnails.lengths() }
  return [
    family(
      'gauge',
      'quoin_queue_length',
      'Work of this process that runs or waits, by queue.',
      Object.entries(inProcess).flatMap(([queue, lengths]) =>
        Object.entries(lengths).map(([state, count]) => [{ queue, state }, count] as const),
      ),
    ),
  ]
}

/** Undefined if the store cannot be read. */
async function waitingJobs({ store }: App) {
  try {
    return await countWaitingByQueue(store)
  } catch {
    return undefined
  }
}

/** How often the event loop is checked, in ms. */
const resolution = 20

/** Measures from the first scrape on: servers without scrapes do not wake up for it. */
function createEventLoopMetrics(): () => Family[] {
  let delays: ReturnType<typeof monitorEventLoopDelay> | undefined
  return () => {
    const { active } = eventLoopUtilization()
    const families = [
      family('counter', 'quoin_event_loop_active_seconds_total', 'Time that the event loop was busy.', [
        [{}, active / 1000],
      ]),
    ]
    if (delays && delays.count > 0)
      families.push(
        family(
          'gauge',
          'quoin_event_loop_delay_seconds',
          'How much later than planned timers have run since the last scrape, by quantile.',
          [0.5, 0.9, 0.99, 1].map(quantile => [
            { quantile: String(quantile) },
            Math.max(0, delays!.percentile(quantile * 100) / 1e9 - resolution / 1000),
          ]),
        ),
      )
    if (delays) delays.reset()
    else {
      delays = monitorEventLoopDelay({ resolution })
      delays.enable()
    }
    return families
  }
}

/** The first are named as other programs name them. */
function processFamilies({ store }: App): Family[] {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const started = Date.now() / 1000 - process.uptime()
  return [
    family('gauge', 'process_resident_memory_bytes', 'Resident memory.', [[{}, rss]]),
    family('gauge', 'nodejs_heap_size_total_bytes', 'Size of the JavaScript heap.', [[{}, heapTotal]]),
    family('gauge', 'nodejs_heap_size_used_bytes', 'Used part of the JavaScript heap.', [[{}, heapUsed]]),
    family('gauge', 'nodejs_external_memory_bytes', 'Memory of buffers outside the heap.', [[{}, external]]),
    family('counter', 'process_cpu_seconds_total', 'Processor time.', [[{}, (user + system) / 1e6]]),
    family('gauge', 'process_start_time_seconds', 'Start of the process since 1970.', [[{}, started]]),
    family('gauge', 'quoin_build_info', 'Release, Node version and database.', [
      [{ release, node: process.versions.node, store: store.name }, 1],
    ]),
  ]
}

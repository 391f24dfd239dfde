import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../../access/actor.ts'
import { auditActor, record } from '../../../access/audit/audit.ts'
import type { DeliveryPayload } from '../../../access/audit/subscriptions.ts'
import type { App } from '../../../app.ts'
import { mustBeAllowed } from '../../../access/authorize/authorize.ts'
import { tagOfAll } from '../../../http/tags.ts'
import { fail } from '../../../platform/errors.ts'
import { enqueue } from '../../../platform/queue/queue.ts'
import { type Job, type Outcome, startJobWorker, type WorkerOptions } from '../../../platform/queue/worker.ts'
import type { Tx } from '../../../platform/store/store.ts'
import * as queries from './queries.ts'
import { sendPurge } from './send.ts'
import { tagsOfEvents } from './tags.ts'

const second = 1000
const minute = 60 * second

/**
 * How long a purge waits after the commits that it is for, in ms. Requests that have read the old content are answered
 * by then, and changes of that time are gathered for the next purge.
 */
const gatherMs = 200
/** How many jobs one purge does. */
const maxGathered = 1000
const leaseMs = 60 * second
/** How many purges that have ended are kept for the panel. */
const maxKept = 20

/** Then once a minute: further changes wait for the one that failed. */
const retryDelaysMs = [second, 5 * second, 30 * second]
/** After this time the purge is given up. */
const maxAgeMs = 24 * 60 * minute

/** Either events, or everything. */
type PurgePayload = Partial<DeliveryPayload> & { all?: boolean }

const isConfigured = ({ config }: App) => config.delivery.purge.url !== undefined

interface PurgeOptions extends WorkerOptions {
  /** Ends when the gathering time is over, or early when the server stops. */
  gather?: (stopping: AbortSignal) => Promise<unknown>
}

const waitForMore = (signal: AbortSignal) => sleep(gatherMs, undefined, { signal }).catch(() => {})

/**
 * Sends purges to the shared cache of `delivery.purge`, until it is stopped. Without one, changes cause no jobs.
 * It begins with everything: other blueprints, settings and releases give other answers, and cause no event.
 */
export async function startPurging(
  app: App,
  { gather = waitForMore, ...options }: PurgeOptions = {},
): Promise<() => Promise<void>> {
  const { store } = app
  const delay = await queries.selectSubscribedDelay(store)
  if (!isConfigured(app)) {
    if (delay !== undefined) await store.write(queries.deletePurgeSubscription)
    return async () => {}
  }
  if (delay !== 0) await store.write(queries.upsertPurgeSubscription)
  await purgeWithoutEvent(app)
  return startJobWorker(
    app,
    {
      queue: queries.purgeQueue,
      hasLanes: true,
      keepsDone: true,
      leaseMs,
      open: () => ({ run: (job, stopping) => runPurge(app, job, { gather, stopping }) }),
    },
    options,
  )
}

/**
 * Runs all waiting jobs with one purge. The gathering time begins after they were read, so all of them are
 * committed by then, however long their transactions took. Jobs that come later are left for the next purge.
 */
async function runPurge(
  app: App,
  job: Job,
  { gather, stopping }: { gather: (stopping: AbortSignal) => Promise<unknown>; stopping: AbortSignal },
): Promise<Outcome> {
  const waiting = await queries.selectWaitingPurges(app.store, maxGathered)
  await gather(stopping)
  if (stopping.aborted) return { status: 'retry' }
  const others = waiting.filter(({ id }) => id !== job.id)
  const payloads = [job.payload!, ...others.map(({ payload }) => payload)].map(text => JSON.parse(text) as PurgePayload)
  const tags = payloads.some(({ all }) => all)
    ? [tagOfAll]
    : tagsOfEvents(
        app,
        payloads.flatMap(({ events = [] }) => events),
      )
  const problem = tags.length === 0 ? undefined : await sendPurge(app.config.delivery.purge, tags, stopping)
  const log = { event: 'cache.purge', tags: tags.length, attempts: job.attempts, problem }
  if (problem === undefined) {
    app.log.debug(log, 'purged the shared cache')
    return { status: 'done', commitWith: tx => finish(tx, others) }
  }
  const isLast = job.ageMs > maxAgeMs
  app.log[isLast ? 'error' : 'warn'](log, 'the shared cache could not be purged')
  return isLast
    ? { status: 'failed', problem, commitWith: tx => finish(tx, []) }
    : { status: 'retry', afterMs: retryDelaysMs[job.attempts - 1] ?? minute, problem }
}

async function finish(tx: Tx, others: readonly { number: number }[]): Promise<void> {
  const numbers = others.map(({ number }) => number)
  await queries.deleteJobs(tx, numbers)
  await queries.deleteOldPurges(tx, maxKept)
}

/** For changes without an event, such as changed blueprints: queues a purge of all answers if there is a cache. */
export async function purgeWithoutEvent(app: App): Promise<void> {
  if (isConfigured(app)) await app.store.write(enqueueAll)
}

async function enqueueAll(tx: Tx): Promise<void> {
  const payload: PurgePayload = { all: true }
  await enqueue(tx, { queue: queries.purgeQueue, lane: queries.purgeQueue, payload: JSON.stringify(payload) })
}

/** Queues a purge of every answer. */
export async function purgeCaches(ctx: Context): Promise<void> {
  mustBeAllowed(ctx, 'access.system')
  if (!isConfigured(ctx.app)) throw fail('purge.off')
  await ctx.app.store.write(async tx => {
    await enqueueAll(tx)
    await record(tx, { event: 'system.cache.purged', ...auditActor(ctx) })
  })
}

export interface PurgeState {
  kind: string | null
  /** Without path and query, which may have ids of the account at the cache. */
  host: string | null
  waiting: number
  lastDone: number | null
  /** The attempt that is repeated. */
  retrying: { problem: string; attempts: number; since: number; next: number } | null
  failures: { problem: string; attempts: number; time: number }[]
}

export async function purgeState({ store, config }: App): Promise<PurgeState> {
  const { kind, url } = config.delivery.purge
  const [first] = await queries.selectWaitingPurges(store, 1)
  const ended = await queries.selectFinishedPurges(store, maxKept)
  return {
    kind: kind ?? null,
    host: url === undefined ? null : new URL(url).host,
    waiting: await queries.countWaiting(store),
    lastDone: ended.find(({ problem }) => problem === null)?.finished_at ?? null,
    retrying: first?.problem // empty if the server was stopped
      ? { problem: first.problem, attempts: first.attempts, since: first.created_at, next: first.due_at }
      : null,
    failures: ended.flatMap(({ problem, attempts, finished_at: time }) =>
      problem === null ? [] : [{ problem, attempts, time: time! }],
    ),
  }
}

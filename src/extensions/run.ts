import { QuoinError } from '../../client/client.ts'
import type { Cause } from '../access/actor.ts'
import type { App } from '../app.ts'
import {
  isJob,
  type JobPayload,
  maxRuns,
  type RunPayload,
  type RunResult,
} from '../groups/system/extensions/extensions.ts'
import { deleteOldRuns, queueOf, parseRunLane, subscriptionOf } from '../groups/system/extensions/queries.ts'
import { retryDelay } from '../platform/queue/retries.ts'
import type { Job as QueuedJob, Outcome } from '../platform/queue/worker.ts'
import type { EventMessage } from '../access/audit/subscriptions.ts'
import { actAs } from './acting.ts'
import { createCms } from './cms.ts'
import type { ExtensionEvent } from './handlers.ts'
import type { LoadedExtension } from './loaded-extension.ts'
import { type Ending, runLimited } from './run-limited.ts'

/** A run whose process has died so often is the reason: it would end the next process, too. */
const maxCrashes = 5

/** What is to be run. */
interface Task {
  /** For messages: `on page.published`, `job nightly`. */
  part: string
  /** In ms. */
  timeout: number
  /** Undefined for a job. */
  event?: ExtensionEvent
  cause?: Cause
  /** Repeated when it fails. */
  isRetried: boolean
  /** Repeated when the process ends. */
  isResumed: boolean
  run: (context: never) => Promise<unknown>
}

/** Runs what a job of the queue of an extension is about. */
export async function runQueued(
  app: App,
  extension: LoadedExtension,
  queued: QueuedJob,
  stopping: AbortSignal,
): Promise<Outcome> {
  const task = taskOf(extension, queued)
  const before = resultOf(queued)
  const crashes = queued.attempts - 1 - before.failures - before.stops
  if (crashes >= maxCrashes) return ended(app, extension, task, queued, before, crashed(crashes))
  if (!task.isResumed && queued.attempts > 1) return ended(app, extension, task, queued, before, interrupted)
  const started = performance.now()
  const ending = await runLimited(signal => start(app, extension, task, queued, signal), {
    timeoutMs: task.timeout,
    stopping,
  })
  const isStopped = ending.kind === 'stopped'
  const isDone = ending.kind === 'done'
  const result: RunResult = {
    duration: Math.round(performance.now() - started),
    failures: before.failures + (isDone || isStopped ? 0 : 1),
    stops: before.stops + (isStopped ? 1 : 0),
  }
  return ended(app, extension, task, queued, result, isDone ? undefined : ending)
}

const crashed = (times: number) => `The server has ended ${times} times while this ran.`
const interrupted = 'It was interrupted by the end of the process.'

async function start(
  app: App,
  extension: LoadedExtension,
  { part, run, event, cause }: Task,
  { id }: QueuedJob,
  signal: AbortSignal,
): Promise<unknown> {
  const { name, collections } = extension
  const log = app.log.child({ extension: name, part })
  const exchange = {
    ip: '127.0.0.1',
    userAgent: undefined,
    requestId: id,
    httpVersion: '1.1',
    method: 'POST',
    headers: {},
    answer: { headers: {}, cookies: [] },
  }
  const cms = createCms(app, { extension: name, collections, actor: 'extension', exchange, signal, cause })
  const context = { cms, log, signal, ...(event && { event }) }
  return actAs(name, () => (run as (given: object) => Promise<unknown>)(context))
}

// ---- what to run; the worker claims only what the extension has

function taskOf(extension: LoadedExtension, queued: QueuedJob): Task {
  const payload = JSON.parse(queued.payload!) as RunPayload
  return isJob(payload) ? jobTask(extension, payload) : handlerTask(extension, queued, payload)
}

function jobTask({ jobs }: LoadedExtension, { job: name, byHand = false }: JobPayload): Task {
  const job = jobs.find(one => one.name === name)!
  return { ...job, part: `job ${name}`, isRetried: false, isResumed: !byHand }
}

function handlerTask(
  { name, handlers }: LoadedExtension,
  { id, lane, attempts }: QueuedJob,
  { message = id, events }: Exclude<RunPayload, JobPayload>,
): Task {
  const { subscription, isAgain } = parseRunLane(lane!)
  const handler = handlers.find(one => subscriptionOf(name, one.name) === subscription)!
  const part = `on ${handler.name}`
  const [event] = events as [EventMessage]
  const { chain = [] } = event.data as { chain?: readonly string[] }
  return {
    ...handler,
    part,
    event: eventOf(event, message, attempts),
    cause: { event: event.data['id'] as number, chain: [...chain, `${name}: ${part}`] },
    isRetried: !isAgain,
    isResumed: true,
  }
}

function eventOf({ type, timestamp, data }: EventMessage, id: string, attempt: number): ExtensionEvent {
  const { uuid, parent, actor } = data as Record<string, string | undefined>
  const page = idIn(uuid, 'page') ?? idIn(parent, 'page')
  return {
    id,
    type,
    time: new Date(timestamp),
    uuid,
    page: page && `@${page}`, // in URLs a uuid begins with `@`
    user: idIn(uuid, 'user'),
    actor,
    data,
    attempt,
  } as ExtensionEvent
}

const idIn = (uuid: string | undefined, kind: string) =>
  uuid?.startsWith(`${kind}://`) ? uuid.slice(`${kind}://`.length) : undefined

// ---- how it has ended

const resultOf = ({ lastResult }: QueuedJob): RunResult =>
  lastResult === null ? { duration: 0, failures: 0, stops: 0 } : (JSON.parse(lastResult) as RunResult)

function ended(
  app: App,
  { name }: LoadedExtension,
  { part, isRetried, isResumed, timeout }: Task,
  { id }: QueuedJob,
  result: RunResult,
  why: Ending | string | undefined,
): Outcome {
  const count = (kind: 'done' | 'retried' | 'failed') => app.metrics.countRun(name, part, kind)
  const kept = { result: JSON.stringify(result), commitWith: trim }
  if (why === undefined) {
    count('done')
    // Of handlers only failures are kept: they may run for every change.
    return part.startsWith('job ') ? { status: 'done', isKept: true, ...kept } : { status: 'done' }
  }
  const problem = typeof why === 'string' ? why : problemOf(why, timeout)
  const isStopped = typeof why === 'object' && why.kind === 'stopped'
  if (isStopped && isResumed) return { status: 'retry', afterMs: 0, problem, result: kept.result }
  const delay = isRetried && typeof why === 'object' && !isChain(why) ? retryDelay(result.failures) : undefined
  const error = typeof why === 'object' && why.kind === 'failed' ? why.error : undefined
  const facts = { extension: name, part, run: id, failures: result.failures, problem, ...(error !== undefined && { err: error }) } // prettier-ignore
  if (delay !== undefined) {
    count('retried')
    app.log.warn({ event: 'extension.postponed', ...facts }, `the extension "${name}" has failed and is tried again`)
    return { status: 'retry', afterMs: delay, problem, result: kept.result }
  }
  count('failed')
  app.log.error({ event: 'extension.failed', ...facts }, `the extension "${name}" has failed: ${part}`)
  return { status: 'failed', problem, ...kept }

  async function trim(tx: Parameters<NonNullable<Outcome['commitWith']>>[0]): Promise<void> {
    await deleteOldRuns(tx, queueOf(name), maxRuns)
  }
}

const isChain = (ending: Ending) =>
  ending.kind === 'failed' && ending.error instanceof QuoinError && ending.error.key === 'error.extension.chain'

/** In characters: problems are shown in lists. */
const maxProblemLength = 500

function problemOf(ending: Ending, timeoutMs: number): string {
  if (ending.kind === 'timeout') return `It did not end within ${timeoutMs / 1000} s.`
  if (ending.kind !== 'failed') return 'The server was stopped.'
  const { error } = ending
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    .slice(0, maxProblemLength)
    .toWellFormed()
}

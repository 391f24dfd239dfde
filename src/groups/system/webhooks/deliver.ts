import type { App } from '../../../app.ts'
import type { DeliveryPayload, EventMessage } from '../../../access/audit/subscriptions.ts'
import { ApiError } from '../../../platform/errors.ts'
import { queueMail } from '../../../platform/mail/mail.ts'
import { retryDelay } from '../../../platform/queue/retries.ts'
import { type Job, type Outcome, startJobWorker, type WorkerOptions } from '../../../platform/queue/worker.ts'
import { checkAddress } from './address.ts'
import { post, type PostResult, deliveryError } from './post.ts'
import {
  updateJoinedJobs,
  markRetryDue,
  parseDeliveryLane,
  selectAccountsToNotify,
  markTurnedOff,
  selectWaitingAfter,
  selectWebhook,
  webhookQueue,
  type WebhookRow,
} from './queries.ts'
import { signedHeaders } from './signature.ts'
import { secretsOf, syncSettings } from './webhooks.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Timeout of one attempt in all: look-up, connection, response. */
const timeoutMs = 15 * second
const createTimeout = () => AbortSignal.timeout(timeoutMs)
/** How long an attempt may still take when the process stops, in ms. */
const stopGraceMs = 4 * second
const leaseMs = 30 * second

const maxRetryAfterMs = 24 * hour
/** Maximum number of events that `gather` joins into one delivery. */
const maxGathered = 1000

/** What is stored about the last attempt. */
export interface DeliveryResult {
  /** Undefined if there was no response. */
  status?: number
  /** In ms. */
  duration: number
  /** The beginning of the response body. */
  body?: string
  /** How many attempts have failed, without those that ended with the server. */
  failures?: number
}

/** What went wrong in an attempt that says nothing about the receiver. */
const stopped = 'The server was stopped.'

/** Sends the deliveries of webhooks, one at a time per webhook and to four at once, until it is stopped. */
export async function startWebhooks(
  app: App,
  { timeout = createTimeout, ...options }: WorkerOptions & { timeout?: typeof createTimeout } = {},
): Promise<() => Promise<void>> {
  await syncSettings(app)
  return startJobWorker(
    app,
    {
      queue: webhookQueue,
      hasLanes: true,
      concurrency: 4,
      keepsDone: true,
      leaseMs,
      open: () => ({ run: (job, stopping) => deliver(app, job, { stopping, timeout: timeout() }) }),
    },
    options,
  )
}

/** What can end an attempt early. */
interface Ends {
  timeout: AbortSignal
  /** The process stops. */
  stopping: AbortSignal
}

async function deliver(app: App, job: Job, ends: Ends): Promise<Outcome> {
  const { id, isManual } = parseDeliveryLane(job.lane!)
  const webhook = await selectWebhook(app.store, id)
  let payload: DeliveryPayload | undefined = JSON.parse(job.payload!) as DeliveryPayload
  if (!webhook || (webhook.is_active === 0 && !isManual))
    return { status: 'failed', problem: 'The webhook was turned off.' }
  if (webhook.delay > 0 && job.attempts === 1 && !isManual) payload = await gather(app, id, job, payload)
  // Sent by both processes, the same id could have different events: receivers ignore the second message.
  if (!payload) return { status: 'retry', problem: 'Another process has taken the delivery over.' }
  const started = performance.now()
  const attempt = await send(app, webhook, payload.message ?? job.id, bodyOf(payload.events), ends)
  const failures = failuresBefore(job) + (attempt === stopped ? 0 : 1)
  const result: DeliveryResult = {
    duration: Math.round(performance.now() - started),
    failures,
    ...(typeof attempt === 'object' && { status: attempt.status, body: attempt.body }),
  }
  return { ...outcomeOf(app, webhook, { id: job.id, isManual, failures }, attempt), result: JSON.stringify(result) }
}

/** A kill leaves no result: it counts as little as a stop. */
function failuresBefore({ attempts, lastResult }: Job): number {
  return lastResult === null ? 0 : ((JSON.parse(lastResult) as DeliveryResult).failures ?? attempts - 1)
}

/**
 * Joins the events that wait behind this one. Retries send the same events again, under the same id. Undefined if the
 * lease was lost.
 */
async function gather(
  app: App,
  lane: string,
  job: Job,
  payload: DeliveryPayload,
): Promise<DeliveryPayload | undefined> {
  return app.store.write(async tx => {
    const waiting = await selectWaitingAfter(tx, lane, job.id, maxGathered - 1)
    if (waiting.length === 0) return payload
    const others = waiting.flatMap(({ payload: text }) => (JSON.parse(text) as DeliveryPayload).events)
    const all = { ...payload, events: [...payload.events, ...others] }
    const numbers = waiting.map(({ number }) => number)
    return (await updateJoinedJobs(tx, job, JSON.stringify(all), numbers)) ? all : undefined
  })
}

/** One event as it is; several in one message. */
function bodyOf(events: readonly EventMessage[]): string {
  const [first] = events as [EventMessage]
  return JSON.stringify(
    events.length === 1 ? first : { type: 'events', timestamp: events.at(-1)!.timestamp, data: { events } },
  )
}

/** The response, or what went wrong. */
async function send(
  app: App,
  webhook: WebhookRow,
  id: string,
  body: string,
  { timeout, stopping }: Ends,
): Promise<PostResult | string> {
  const controller = new AbortController()
  const abort = () => controller.abort()
  if (timeout.aborted) abort()
  timeout.addEventListener('abort', abort)
  let timer: NodeJS.Timeout | undefined
  const stop = () => (timer = setTimeout(abort, stopGraceMs))
  if (stopping.aborted) stop()
  stopping.addEventListener('abort', stop)
  try {
    const address = await unlessAborted(checkAddress(app, webhook.url), controller.signal)
    if (address instanceof ApiError) return address.message
    const secrets = secretsOf(app, webhook)
    if (secrets.length === 0) return 'The secret cannot be opened with the keys of this server.'
    const timestamp = Math.floor(Date.now() / second)
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Quoin-Webhooks',
      ...signedHeaders({ id, timestamp, body }, secrets),
    }
    return await post(address, { body, headers, signal: controller.signal })
  } catch (error) {
    if (controller.signal.aborted) return stopping.aborted ? stopped : 'There was no response in time.'
    return deliveryError(error)
  } finally {
    timeout.removeEventListener('abort', abort)
    stopping.removeEventListener('abort', stop)
    clearTimeout(timer)
  }
}

/** A look-up of a name cannot be cancelled. */
async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return Promise.race([
    work,
    new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
    ),
  ])
}

function outcomeOf(
  app: App,
  webhook: WebhookRow,
  { id, isManual, failures }: { id: string; isManual: boolean; failures: number },
  attempt: PostResult | string,
): Outcome {
  const log = (event: string, problem?: string) =>
    app.log[event === 'webhook.off' ? 'error' : problem === undefined ? 'debug' : 'warn'](
      { event, webhook: webhook.id, delivery: id, failures, problem },
      'delivery of a webhook',
    )
  if (typeof attempt === 'object' && attempt.status >= 200 && attempt.status < 300) {
    log('webhook.sent')
    // The receiver works again: what waits for it need not wait for hours.
    return { status: 'done', ...(isManual && { commitWith: tx => markRetryDue(tx, webhook.id) }) }
  }
  const problem = typeof attempt === 'string' ? attempt : `The response was ${attempt.status}.`
  const isGone = typeof attempt === 'object' && attempt.status === 410
  // After the last failure the webhook is turned off.
  const delay = attempt === stopped ? 0 : retryDelay(failures)
  // A test or a delivery that is sent again manually reports its result, and is not repeated.
  if (isManual && (!isGone || webhook.is_active === 0)) return { status: 'failed', problem }
  if (isGone || delay === undefined) {
    log('webhook.off', problem)
    return {
      status: 'failed',
      problem,
      commitWith: tx => giveUp(app, tx, webhook, isGone ? 'gone' : 'failed', problem),
    }
  }
  log('webhook.postponed', problem)
  return { status: 'retry', afterMs: Math.max(delay, retryAfterMs(attempt)), problem }
}

/** The delay of `Retry-After` (seconds or a date) in ms; 0 without one, and for a status other than 429 and 503. */
function retryAfterMs(attempt: PostResult | string): number {
  if (typeof attempt === 'string' || attempt.retryAfter === undefined) return 0
  if (attempt.status !== 429 && attempt.status !== 503) return 0
  const wait = /^\d+$/.test(attempt.retryAfter)
    ? Number(attempt.retryAfter) * second
    : Date.parse(attempt.retryAfter) - Date.now()
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), maxRetryAfterMs)
}

/** Turns the webhook off, and notifies the accounts that are responsible for it. */
async function giveUp(
  app: App,
  tx: Parameters<NonNullable<Outcome['commitWith']>>[0],
  { id, url, owner_id: owner }: WebhookRow,
  reason: 'gone' | 'failed',
  problem: string,
): Promise<void> {
  const { host } = new URL(url)
  for (const { email: to, language, id: user } of await selectAccountsToNotify(tx, owner))
    await queueMail(app, tx, { to, language, user, template: 'webhookOff', data: { host, problem } })
  await markTurnedOff(tx, id, reason)
}

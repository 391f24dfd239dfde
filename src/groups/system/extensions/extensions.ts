import type { Context } from '../../../access/actor.ts'
import { auditActor, record } from '../../../access/audit/audit.ts'
import { mustBeAllowed } from '../../../access/authorize/authorize.ts'
import { createMessageId, type DeliveryPayload } from '../../../access/audit/subscriptions.ts'
import type { App } from '../../../app.ts'
import { fail } from '../../../platform/errors.ts'
import { message } from '../../../platform/texts.ts'
import { enqueue } from '../../../platform/queue/queue.ts'
import * as queries from './queries.ts'
import type { RunRow } from './queries.ts'

type Loaded = App['extensions']['list'][number]

/** How many runs of an extension are kept when they have ended. */
export const maxRuns = 100

/** What a run of the queue of an extension is about: an event for a handler, or a job. */
export type RunPayload = DeliveryPayload | JobPayload

export interface JobPayload {
  job: string
  /** Started by hand: its result is reported, and it is not repeated. */
  byHand?: boolean
}

export const isJob = (payload: RunPayload): payload is JobPayload => 'job' in payload

/** What is kept about the last attempt. */
export interface RunResult {
  /** In ms. */
  duration: number
  /** How many attempts have failed. */
  failures: number
  /** How many attempts have ended with the server. */
  stops: number
}

/** An extension, with when its jobs run and how its runs go. */
export interface ExtensionState {
  extension: Loaded
  jobs: { name: string; at: string | null; timeZone: string | null; next: number | null; last: number | null }[]
  waiting: number
  failed: number
}

export async function listExtensions({ store, extensions: { list } }: App): Promise<ExtensionState[]> {
  if (list.length === 0) return []
  const [times, counts] = [await queries.selectJobSchedules(store), await queries.countRuns(store)]
  return list.map(extension => {
    const { waiting = 0, failed = 0 } = counts.get(queries.queueOf(extension.name)) ?? {}
    const jobs = extension.jobs.map(({ name, at, timeZone }) => {
      const row = times.find(time => time.extension === extension.name && time.job === name)
      return {
        name,
        at: at ?? null,
        timeZone: timeZone ?? null,
        next: at === undefined ? null : (row?.next_at ?? null),
        last: row?.last_at ?? null,
      }
    })
    return { extension, jobs, waiting, failed }
  })
}

/** How long what waits for a part of an extension is kept after a server has started without it, in ms. */
const retentionMs = 7 * 24 * 60 * 60_000

/**
 * Deletes subscriptions and schedules that this server does not have, and what waits for them. Not at once: while the
 * servers of a site are updated one after the other, others have newer or older extensions. An extension that was left
 * out at the start (`--without`) keeps everything.
 */
export async function forgetRemoved({ store, config, extensions: { list }, log }: App): Promise<void> {
  const declared = new Set(list.flatMap(partsOf))
  const isKept = ({ extension, part }: queries.KnownPart) =>
    declared.has(part) || config.withoutExtensions.includes(extension)
  const known = await queries.selectKnownParts(store)
  const removed = known.filter(row => !isKept(row))
  const returned = known.filter(row => isKept(row) && row.forgottenAt !== null)
  const unmarked = removed.filter(({ forgottenAt }) => forgottenAt === null)
  const expired = removed.filter(({ forgottenAt, now }) => forgottenAt !== null && forgottenAt <= now)
  if (returned.length + expired.length + unmarked.length > 0)
    await store.write(async tx => {
      for (const row of expired) await queries.deletePart(tx, row)
      for (const { part } of [...returned, ...expired]) await queries.deleteRemovalMark(tx, part)
      for (const { part } of unmarked)
        await enqueue(tx, { queue: queries.removedQueue, lane: part, payload: '{}', delayMs: retentionMs })
    })
  for (const row of removed) {
    const { extension, forgottenAt, now } = row
    const part = shownPart(row)
    const until = new Date(forgottenAt ?? now + retentionMs).toISOString()
    const [text, facts] = expired.includes(row)
      ? ['what waited for it is deleted', {}]
      : [`what waits for it is kept until ${until}`, { until }]
    const what = `this server has no "${part}" of the extension "${extension}"`
    log.warn({ event: 'extension.removed', extension, part, ...facts }, `${what}: ${text}`)
  }
}

const partsOf = ({ name, handlers, jobs }: Loaded): string[] => [
  ...handlers.map(handler => queries.subscriptionOf(name, handler.name)),
  ...jobs.flatMap(({ name: job, cron }) => (cron ? [queries.partOfJob(name, job)] : [])),
]

const shownPart = ({ extension, part, job }: queries.KnownPart) =>
  job === null ? `on ${part.slice(queries.subscriptionOf(extension, '').length)}` : `job ${job}`

function findExtension({ extensions }: App, name: string): Loaded {
  const found = extensions.list.find(extension => extension.name === name)
  if (!found) throw fail('extension.notFound', { name })
  return found
}

/** Those that wait, run, have failed, and the last jobs that were done; the newest first. */
export const lastRuns = ({ store }: App, name: string): Promise<RunRow[]> =>
  queries.selectLastRuns(store, queries.queueOf(name), maxRuns)

/** Starts a job, or runs a job or a handler again, on behalf of an account. */
export async function runByHand(
  ctx: Context,
  name: string,
  { job, again }: { job?: string | undefined; again?: string | undefined },
): Promise<void> {
  mustBeAllowed(ctx, 'access.system')
  findExtension(ctx.app, name)
  if (job !== undefined && again !== undefined) throw invalidJob('invalid')
  if (job !== undefined) await queueJob(ctx, name, job)
  else if (again !== undefined) await runAgain(ctx, name, again)
  else throw invalidJob('required')
}

const invalidJob = (rule: 'invalid' | 'required') =>
  fail('validation').with({ details: { job: { label: 'job', message: { [rule]: message(`validation.${rule}`) } } } })

/** Queues a job now, and returns the id of the run. */
export async function startJob(ctx: Context, name: string, job: string): Promise<string> {
  mustBeAllowed(ctx, 'access.system')
  return queueJob(ctx, name, job)
}

async function queueJob(ctx: Context, name: string, job: string): Promise<string> {
  if (!findExtension(ctx.app, name).jobs.some(one => one.name === job))
    throw fail('extension.job.notFound', { name, job })
  return queueByHand(ctx, name, queries.laneOfJob(job), { job, byHand: true })
}

/** Runs a handler for the same event with the same id, or a job, once more. */
async function runAgain(ctx: Context, name: string, id: string): Promise<string> {
  const found = await queries.selectRun(ctx.app.store, queries.queueOf(name), id)
  if (!found) throw fail('extension.run.notFound', { id })
  const payload = JSON.parse(found.payload) as RunPayload
  if (isJob(payload)) return queueJob(ctx, name, payload.job)
  const { events, message: first = found.id } = payload
  return queueByHand(ctx, name, queries.laneOfAgain(found.lane!), { events, message: first })
}

async function queueByHand(ctx: Context, name: string, lane: string, payload: RunPayload): Promise<string> {
  const id = createMessageId()
  const what = isJob(payload) ? { job: payload.job } : { handler: queries.handlerOf(name, lane) }
  await ctx.app.store.write(async tx => {
    await enqueue(tx, { queue: queries.queueOf(name), id, lane, payload: JSON.stringify(payload) })
    await record(tx, { event: 'system.extension.run', ...auditActor(ctx), detail: { name, ...what } })
  })
  return id
}

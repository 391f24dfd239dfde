import type { Context } from '../../../access/actor.ts'
import { createMessageId, type DeliveryPayload } from '../../../access/audit/subscriptions.ts'
import type { App } from '../../../app.ts'
import { fail } from '../../../platform/errors.ts'
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
  const [times, counts] = [await queries.schedules(store), await queries.countRuns(store)]
  return list.map(extension => {
    const { waiting = 0, failed = 0 } = counts.get(queries.queueOf(extension.name)) ?? {}
    const jobs = extension.jobs.map(({ name, at, timeZone }) => {
      const row = times.find(time => time.extension === extension.name && time.job === name)
      return {
        name,
        at: at ?? null,
        timeZone: timeZone ?? null,
        next: row?.next_at ?? null,
        last: row?.last_at ?? null,
      }
    })
    return { extension, jobs, waiting, failed }
  })
}

/**
 * Deletes the subscriptions of extensions that the site no longer has, with what waits for them, and returns all others.
 * An extension that was left out at the start (`--without`) keeps its events.
 */
export async function forgetRemoved({ store, config, extensions: { list } }: App): Promise<queries.Subscription[]> {
  const kept = new Set([...list.map(({ name }) => name), ...config.withoutExtensions].map(queries.queueOf))
  const rows = await queries.subscriptions(store)
  const gone = new Set(rows.map(({ queue }) => queue).filter(queue => !kept.has(queue)))
  if (gone.size > 0)
    await store.write(async tx => {
      for (const queue of gone) await queries.deleteAllOf(tx, queue)
    })
  const loaded = new Set(list.map(({ name }) => queries.queueOf(name)))
  return rows.filter(({ queue }) => loaded.has(queue))
}

function findExtension({ extensions }: App, name: string): Loaded {
  const found = extensions.list.find(extension => extension.name === name)
  if (!found) throw fail('extension.notFound', { name })
  return found
}

/** Those that wait, run, have failed, and the last jobs that were done; the newest first. */
export const lastRuns = ({ store }: App, name: string): Promise<RunRow[]> =>
  queries.lastRuns(store, queries.queueOf(name), maxRuns)

/** Queues a job now, and returns the id of the run. */
export async function startJob({ app }: Context, name: string, job: string): Promise<string> {
  if (!findExtension(app, name).jobs.some(one => one.name === job)) throw fail('extension.job.notFound', { name, job })
  return queueByHand(app, name, queries.laneOfJob(job), { job, byHand: true })
}

/** Runs a handler for the same event with the same id, or a job, once more. */
export async function runAgain(ctx: Context, name: string, id: string): Promise<string> {
  const { app } = ctx
  findExtension(app, name)
  const found = await queries.runById(app.store, queries.queueOf(name), id)
  if (!found) throw fail('extension.run.notFound', { id })
  const payload = JSON.parse(found.payload) as RunPayload
  if (isJob(payload)) return startJob(ctx, name, payload.job)
  const { events, message = found.id } = payload
  return queueByHand(app, name, queries.laneOfAgain(found.lane!), { events, message })
}

async function queueByHand({ store }: App, name: string, lane: string, payload: RunPayload): Promise<string> {
  const id = createMessageId()
  await store.write(tx => enqueue(tx, { queue: queries.queueOf(name), id, lane, payload: JSON.stringify(payload) }))
  return id
}

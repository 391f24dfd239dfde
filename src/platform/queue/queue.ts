import type { Runtime } from '../runtime.ts'
import { decrypt, encrypt } from '../lib/encrypt.ts'
import { createId } from '../lib/id.ts'
import { afterCommit, type Store, type Tx } from '../store/store.ts'
import { deleteOldJobs, deleteUnusedLanes, insertJob } from './queries.ts'

/**
 * The job queue: work that must happen after a commit, outside of the request, at least once. Mail, webhooks,
 * cache purges and extensions use it.
 *
 * `enqueue` inserts a job in the transaction of its cause. A worker (`worker.ts`) claims it, with a lease that it renews
 * while it runs, and reports done, retry or failed. Any number of processes may run workers on one database: each job
 * is claimed by one at a time. A job whose process dies is claimed again when its lease is over, so a job may run
 * twice.
 */
export interface NewJob {
  queue: string
  /** By default a random id. It stays the same for all attempts. */
  id?: string
  /** For queues with lanes: jobs of one lane run one at a time, in the order in which they were inserted. */
  lane?: string
  /** For the worker of the queue, mostly JSON. */
  payload: string
  /** The payload was encrypted with `sealPayload`. */
  isSealed?: boolean
  /** How long to wait before the first attempt, in ms. */
  delayMs?: number
}

/** Inserts a job, and wakes the worker of this process after the commit. Workers of other processes poll. */
export async function enqueue(tx: Tx, { id = createId(), ...job }: NewJob): Promise<void> {
  await insertJob(tx, {
    id,
    queue: job.queue,
    lane: job.lane ?? null,
    payload: job.payload,
    sealed: job.isSealed ? 1 : 0,
    delay: job.delayMs ?? 0,
  })
  afterCommit(tx, store => wake(store, job.queue))
}

// ---- workers of this process

const wakers = new WeakMap<Store, Map<string, () => void>>()

/** Makes the worker of this process check for due jobs now. */
function wake(store: Store, queue: string): void {
  wakers.get(store)?.get(queue)?.()
}

/** Registers a worker of this process. Call the returned function when it stops. */
export function onWake(store: Store, queue: string, check: () => void): () => void {
  let queues = wakers.get(store)
  if (!queues) wakers.set(store, (queues = new Map()))
  queues.set(queue, check)
  return () => void (queues.get(queue) === check && queues.delete(queue))
}

// ---- secret payloads

/** Encrypts a payload, for the job with this id only: a reader of the database learns nothing. */
export function sealPayload({ secrets }: Runtime, queue: string, id: string, payload: string): string {
  const key = secrets.keys.vault[0]!.id
  return `${key}.${encrypt(secrets.derived('vault', queue, key)!, payload, id)}`
}

/** Undefined if the key is gone or the row was tampered with. */
export function unsealPayload({ secrets }: Runtime, queue: string, id: string, sealed: string): string | undefined {
  const [keyId = '', ciphertext = ''] = sealed.split('.')
  const key = secrets.derived('vault', queue, keyId)
  return key && decrypt(key, ciphertext, id)
}

// ---- retention

/** How long finished jobs are kept for the operators of the server, and others that no worker runs, in ms. */
const retentionMs = 30 * 24 * 60 * 60_000

/** Deletes jobs after 30 days and lanes that are not used, and returns how many of the kind with more. */
export async function sweepJobs(tx: Tx, limit: number): Promise<number> {
  return Math.max(await deleteUnusedLanes(tx, limit), await deleteOldJobs(tx, retentionMs, limit))
}

import type { Runtime } from '../runtime.ts'
import { listParameter } from '../store/among.ts'
import type { Tx } from '../store/store.ts'
import {
  type ClaimedJob,
  claimJob,
  claimLane,
  deleteJob,
  finishJob,
  postponeJob,
  postponeLane,
  releaseLane,
  renewJob,
  selectDueJob,
  selectDueLane,
  selectDueLanes,
  selectDueOfKinds,
  selectDueOfManyLanes,
  selectNextDue,
} from './queries.ts'
import { onWake, unsealPayload } from './queue.ts'

/** A claimed job, as a worker gets it. */
export interface Job {
  id: string
  lane: string | undefined
  /** Undefined if it cannot be decrypted with the keys of this server. */
  payload: string | undefined
  /** Includes this attempt. */
  attempts: number
  /** What was kept about the last attempt that has ended; null if there was none. */
  lastResult: string | null
  /** Time since the job was inserted, in ms. */
  ageMs: number
}

/** How an attempt has ended. */
export interface Outcome {
  /** `done`: the job is deleted, or kept with `keepsDone`. `failed`: it is kept and not run again. */
  status: 'done' | 'retry' | 'failed'
  /** For `retry`: how long to wait, in ms. */
  afterMs?: number
  problem?: string
  /** What the worker wants to keep about the attempt. */
  result?: string
  /** Whether a job that is done is kept; by default as `keepsDone` of the worker says. */
  isKept?: boolean
  /** Changes that are committed together with the end of the attempt; left out if the lease was lost. */
  commitWith?: (tx: Tx) => Promise<void>
  /** The worker cannot run other jobs either: they wait for the next poll, also those that are queued meanwhile. */
  endsRound?: boolean
}

/** The work from the first due job to the last, in which a connection can be reused. */
export interface Round {
  /**
   * Must end soon after `stopping` is aborted. An exception is logged as a defect, unless the store is out of reach. The lease must run out then.
   */
  run(job: Job, stopping: AbortSignal): Promise<Outcome>
  close?(): void
}

export interface JobWorker {
  queue: string
  /** All jobs of the queue have a lane; jobs of one lane run one at a time and in order. `many`: thousands of lanes. */
  hasLanes?: boolean | 'many'
  /** Runs the jobs of this lane only. */
  lane?: string
  /** For `many`: runs only jobs in lanes of these kinds, see `selectDueOfKinds`. Others wait for another process. */
  laneKinds?: readonly string[]
  /** How many jobs this process runs at once; one by default. */
  concurrency?: number
  /** Keeps jobs that are done, until they are swept. */
  keepsDone?: boolean
  /** After this time, in ms, other processes may claim the jobs of a process that has died. */
  leaseMs: number
  open(): Round
}

export interface WorkerOptions {
  /** How often to check for jobs that other processes have queued, in milliseconds. */
  pollMs?: number
}

/** How long to wait after the store could not be reached, in ms. */
const outageDelayMs = 1000

/**
 * Runs the jobs of a queue until it is stopped: after a commit of this process at once, jobs of other processes at the
 * next poll, retries when they are due. The returned function stops it, and waits for the jobs that are running.
 */
export function startJobWorker(
  app: Runtime,
  worker: JobWorker,
  { pollMs = 5000 }: WorkerOptions = {},
): () => Promise<void> {
  const { queue, concurrency = 1, leaseMs } = worker
  const { store, log } = app
  const laneKinds = worker.laneKinds && listParameter(store, worker.laneKinds)
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let round: Round | undefined
  /** No runner begins another job: jobs that are due stay until the next poll. */
  let isEndingEarly = false
  let hasFailed = false
  /** Jobs were queued while all runners were busy or about to end. */
  let wakePending = false
  let wakeTimer: NodeJS.Timeout | undefined
  let lastSchedule = 0

  function poll(): void {
    if (stopping.signal.aborted) return
    if (running.size < concurrency && !isEndingEarly) addRunner()
    else wakePending = true
  }

  function addRunner(): void {
    round ??= worker.open()
    const runner = runDue(round)
      .catch((error: unknown) => {
        isEndingEarly = true
        hasFailed = true
        log.warn({ err: error, queue }, 'the queue cannot be reached; trying again')
      })
      .finally(() => {
        running.delete(runner)
        if (running.size === 0) endRound()
      })
    running.add(runner)
  }

  function endRound(): void {
    round?.close?.()
    round = undefined
    const [leavesDue, isOutage, isWoken] = [isEndingEarly, hasFailed, wakePending]
    isEndingEarly = hasFailed = wakePending = false
    if (stopping.signal.aborted) return
    if (isOutage) retrySoon()
    else if (isWoken && !leavesDue) poll()
    else app.background(() => scheduleNext(leavesDue))
  }

  function retrySoon(): void {
    clearTimeout(wakeTimer)
    if (!stopping.signal.aborted) wakeTimer = setTimeout(poll, Math.min(pollMs, outageDelayMs)).unref()
  }

  /** Retries and delayed jobs do not wait for the next poll, unless the round has left them to it. */
  async function scheduleNext(leavesDue: boolean): Promise<void> {
    const schedule = ++lastSchedule
    try {
      const [due] = await selectNextDue(store, queue)
      // `selectNextDue` leaves out jobs that are already due, so look again for one that came due after the round's last
      // check.
      const isDue = !leavesDue && !stopping.signal.aborted && (await selectClaimable()) !== undefined
      if (schedule !== lastSchedule) return // a later one has read newer data; answers may overtake each other
      clearTimeout(wakeTimer)
      if (isDue) poll()
      else if (due && due.wait < pollMs && !stopping.signal.aborted) wakeTimer = setTimeout(poll, due.wait + 1).unref()
    } catch {
      if (schedule === lastSchedule) retrySoon()
    }
  }

  async function runDue(current: Round): Promise<void> {
    while (!stopping.signal.aborted && !isEndingEarly) {
      const job = await claimNext()
      if (!job) {
        if (!wakePending) return
        wakePending = false
        continue
      }
      if (running.size < concurrency) addRunner() // there may be more
      await runJob(current, job)
    }
  }

  async function claimNext(): Promise<ClaimedJob | undefined> {
    for (;;) {
      if (stopping.signal.aborted) return undefined
      const due = await selectClaimable()
      if (!due) return undefined
      const job = await store.write(tx =>
        'lane' in due ? claimLane(tx, queue, due.lane, leaseMs) : claimJob(tx, due.number, leaseMs),
      )
      if (job) return job
    }
  }

  async function selectClaimable(): Promise<{ lane: string } | { number: number } | undefined> {
    if (worker.lane !== undefined) return (await selectDueLane(store, queue, worker.lane))[0]
    if (laneKinds) return (await selectDueOfKinds(store, queue, laneKinds, 1))[0]
    if (worker.hasLanes === 'many') return (await selectDueOfManyLanes(store, queue, 1))[0]
    return (worker.hasLanes ? await selectDueLanes(store, queue, 1) : await selectDueJob(store, queue))[0]
  }

  async function runJob(current: Round, claimed: ClaimedJob): Promise<void> {
    const { id, lane, attempts, age, result: lastResult } = claimed
    const payload = claimed.sealed ? unsealPayload(app, queue, id, claimed.payload) : claimed.payload
    const renewing = setInterval(
      () => app.background(async () => void (await store.write(tx => renewJob(tx, queue, claimed, leaseMs)))),
      leaseMs / 3,
    ).unref()
    let outcome: Outcome
    try {
      outcome = await current.run(
        { id, lane: lane ?? undefined, payload, attempts, lastResult, ageMs: age },
        stopping.signal,
      )
    } catch (error) {
      if (store.isOutage(error)) throw error
      log.error({ err: error, queue, job: id }, 'a job failed unexpectedly')
      return // the lease must run out first, so that it is not tried again and again
    } finally {
      clearInterval(renewing)
    }
    await store.write(tx => end(tx, claimed, outcome))
    isEndingEarly ||= outcome.endsRound ?? false
  }

  async function end(tx: Tx, claimed: ClaimedJob, outcome: Outcome): Promise<void> {
    const { status, afterMs = 0, problem, result = null } = outcome
    const isOurs =
      status === 'retry'
        ? await postponeJob(tx, claimed, afterMs, { problem: problem ?? '', result })
        : status === 'done' && !(outcome.isKept ?? worker.keepsDone)
          ? await deleteJob(tx, claimed)
          : await finishJob(tx, claimed, { problem: problem ?? null, result })
    if (!isOurs) return
    if (claimed.lane !== null) await releaseLane(tx, queue, claimed.lane)
    if (status === 'retry' && worker.hasLanes === 'many') await postponeLane(tx, queue, claimed, afterMs)
    await outcome.commitWith?.(tx)
  }

  const pollTimer = setInterval(poll, pollMs).unref()
  const unsubscribe = onWake(store, queue, poll)
  poll()
  return async () => {
    unsubscribe()
    clearInterval(pollTimer)
    clearTimeout(wakeTimer)
    stopping.abort()
    await Promise.all(running)
  }
}

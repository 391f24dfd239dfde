import type { App } from '../app.ts'
import type { JobPayload } from '../groups/system/extensions/extensions.ts'
import {
  claimNextRun,
  hasUnfinished,
  laneOfJob,
  queueOf,
  type ScheduleRow,
  selectJobSchedules,
} from '../groups/system/extensions/queries.ts'
import { type Cron, nextTime } from '../platform/lib/cron.ts'
import { enqueue } from '../platform/queue/queue.ts'
import { selectNow } from '../platform/store/store.ts'

/** A scheduled job that has times; others are started by hand only. */
interface TimedJob {
  extension: string
  job: string
  cron: Cron
  timeZone: string
}

export const timedJobs = ({ extensions }: App): TimedJob[] =>
  extensions.list.flatMap(({ name: extension, jobs }) =>
    jobs.flatMap(({ name: job, cron, timeZone = 'UTC' }) => (cron ? [{ extension, job, cron, timeZone }] : [])),
  )

export const isOf = ({ extension, job }: TimedJob, row: ScheduleRow): boolean =>
  row.extension === extension && row.job === job

/** Shortest pause between two rounds, in ms. */
const minDelayMs = 50

/**
 * Queues the jobs of extensions when they are due, until it is stopped. Any number of processes may do this on one
 * database: each time is queued once.
 */
export function startJobScheduler(app: App, { pollMs = 15_000 }: { pollMs?: number } = {}): () => Promise<void> {
  const jobs = timedJobs(app)
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let round = runRound()

  async function runRound(): Promise<void> {
    let wait: number | undefined
    try {
      wait = await queueDue(app, jobs)
    } catch (error) {
      app.log.warn({ err: error }, 'the jobs of extensions cannot be scheduled now; trying again')
    }
    if (!isStopped) timer = setTimeout(again, Math.min(Math.max(wait ?? pollMs, minDelayMs), pollMs)).unref()
  }

  function again(): void {
    round = runRound()
  }

  return async () => {
    isStopped = true
    clearTimeout(timer)
    await round
  }
}

/** Queues what is due, and returns how long to wait for the next, in ms. */
async function queueDue(app: App, jobs: readonly TimedJob[]): Promise<number | undefined> {
  let wait: number | undefined
  for (const row of await selectJobSchedules(app.store)) {
    const timed = jobs.find(one => isOf(one, row))
    if (!timed) continue
    if (row.next_at <= row.now) await queueRun(app, timed, row)
    else wait = Math.min(wait ?? Infinity, row.next_at - row.now)
  }
  return wait
}

/** Times that were missed are made up for once: the next one is after now. */
async function queueRun({ store, log }: App, { extension, job, cron, timeZone }: TimedJob, row: ScheduleRow) {
  const [queue, lane] = [queueOf(extension), laneOfJob(job)]
  const isSkipped = await store.write(async tx => {
    const next = nextTime(cron, timeZone, await selectNow(tx))!
    if (!(await claimNextRun(tx, row, next))) return false
    // Runs that take longer than the time between two of them would pile up.
    if (await hasUnfinished(tx, queue, lane)) return true
    await enqueue(tx, { queue, lane, payload: JSON.stringify({ job } satisfies JobPayload) })
    return false
  })
  if (isSkipped)
    log.warn(
      { event: 'extension.skipped', extension, part: `job ${job}` },
      `the job "${job}" of the extension "${extension}" is due and still running: this time is skipped`,
    )
}

import { z } from 'zod'
import { viewOf } from '../../../http/view.ts'
import { isoTime } from '../../../platform/lib/time.ts'
import { type ExtensionState, isJob, lastRuns, type RunPayload, type RunResult } from './extensions.ts'
import { parseRunLane, type RunRow, subscriptionOf } from './queries.ts'

const time = (milliseconds: number | null) => (milliseconds === null ? null : isoTime(milliseconds))
const text = z.string().nullable()

const runSchema = z.object({
  id: z.string(),
  /** `on page.published`, `job nightly` */
  part: z.string(),
  /** What the event is about. */
  uuid: text,
  state: z.enum(['waiting', 'done', 'failed']),
  attempts: z.int(),
  /** Of the last attempt, in ms. */
  duration: z.int().nullable(),
  problem: text,
  created: z.string(),
  next: text,
})

const defaultView = ['failed', 'jobs', 'name', 'on', 'permissions', 'waiting'] as const

/** An extension of the site: what runs in the background, and how that goes. */
export const extensionView = viewOf<ExtensionState>('Extension')(
  field => ({
    name: field.value(z.string(), ({ extension }) => extension.name),
    /** Action → what it allows. */
    permissions: field.value(z.record(z.string(), z.string()), ({ extension }) => extension.permissions),
    /** The names of its handlers. */
    on: field.value(z.array(z.string()), ({ extension }) => extension.handlers.map(({ name }) => name)),
    jobs: field.value(
      z.array(z.object({ name: z.string(), at: text, timeZone: text, next: text, last: text })),
      ({ jobs }) => jobs.map(job => ({ ...job, next: time(job.next), last: time(job.last) })),
    ),
    waiting: field.value(z.int(), state => state.waiting),
    failed: field.value(z.int(), state => state.failed),
    /** Handlers that wait or have failed, and jobs; the newest first. */
    runs: field.value(z.array(runSchema), async ({ extension: { name } }, { app }) =>
      (await lastRuns(app, name)).map(run => showRun(name, run)),
    ),
  }),
  { default: defaultView, compact: defaultView },
)

function showRun(extension: string, run: RunRow): z.output<typeof runSchema> {
  const { id, attempts, problem, result } = run
  const payload = JSON.parse(run.payload) as RunPayload
  const uuid = isJob(payload) ? undefined : payload.events[0]?.data['uuid']
  return {
    id,
    part: isJob(payload)
      ? `job ${payload.job}`
      : `on ${parseRunLane(run.lane!).subscription.slice(subscriptionOf(extension, '').length)}`,
    uuid: typeof uuid === 'string' ? uuid : null,
    state: run.finished_at === null ? 'waiting' : problem === null ? 'done' : 'failed',
    attempts,
    duration: result === null ? null : (JSON.parse(result) as RunResult).duration,
    problem,
    created: isoTime(run.created_at),
    next: run.finished_at === null ? isoTime(run.due_at) : null,
  }
}

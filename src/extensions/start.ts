import { setTimeout as sleep } from 'node:timers/promises'
import { systemContext } from '../access/actor.ts'
import type { App } from '../app.ts'
import { startJob } from '../groups/system/extensions/extensions.ts'
import { laneOfJob, queueOf, selectRun, subscriptionOf } from '../groups/system/extensions/queries.ts'
import { type Job, startJobWorker, type WorkerOptions } from '../platform/queue/worker.ts'
import type { LoadedExtension } from './loaded-extension.ts'
import { runQueued } from './run.ts'
import { startJobScheduler, timedJobs } from './schedule.ts'
import { syncExtensions } from './sync.ts'

/** After this time, in ms, another process may take over what a process that has died was running. */
const leaseMs = 30_000
/** How many events an extension handles at once in each process. Jobs do not take their places. */
const concurrency = 4
/** Interval at which `runJob` looks for jobs of its lane, and checks whether its run has finished, in ms. */
const pollMs = 100

interface ExtensionOptions extends WorkerOptions {
  /** Whether this process queues scheduled jobs. At least one process must; more do no harm. */
  schedulesJobs?: boolean
}

/**
 * Queues a job, runs it in this process unless another one claims it first, waits for its end, and returns the problem;
 * null if there is none.
 */
export async function runJob(app: App, extensionName: string, job: string): Promise<string | null> {
  const id = await startJob(systemContext(app, 'command line'), extensionName, job)
  const extension = app.extensions.list.find(one => one.name === extensionName)!
  const [queue, lane] = [queueOf(extensionName), laneOfJob(job)]
  // The lane may have runs of other commands. The worker does not go on to them after its own run. One that it has begun
  // is not stopped, because it would not be repeated: the command waits for it.
  const { signal: neverAborted } = new AbortController()
  const run = async (queued: Job) => ({
    ...(await runQueued(app, extension, queued, neverAborted)),
    endsRound: queued.id === id,
  })
  const open = () => ({ run })
  const stop = startJobWorker(app, { queue, lane, hasLanes: true, leaseMs, open }, { pollMs })
  try {
    for (;;) {
      const found = await selectRun(app.store, queue, id)
      if (!found) return 'The run was deleted before its result was read.'
      if (found.finished_at !== null) return found.problem
      await sleep(pollMs)
    }
  } finally {
    await stop()
  }
}

/**
 * Kinds of lanes of the handlers and jobs that this process has. During a rolling update, events for other handlers are
 * left to a server that has them.
 */
const laneKindsOf = ({ name, handlers, jobs }: LoadedExtension) => [
  ...handlers.map(handler => subscriptionOf(name, handler.name)),
  ...jobs.map(job => laneOfJob(job.name)),
]

/** Runs handlers and jobs of extensions until it is stopped. */
export async function startExtensions(
  app: App,
  { schedulesJobs = true, ...options }: ExtensionOptions = {},
): Promise<() => Promise<void>> {
  await syncExtensions(app)
  const stops = app.extensions.list
    .filter(({ handlers, jobs }) => handlers.length + jobs.length > 0)
    .map(extension =>
      startJobWorker(
        app,
        {
          queue: queueOf(extension.name),
          hasLanes: 'many',
          laneKinds: laneKindsOf(extension),
          concurrency: concurrency + extension.jobs.length,
          leaseMs,
          open: () => ({ run: (job, stopping) => runQueued(app, extension, job, stopping) }),
        },
        options,
      ),
    )
  if (schedulesJobs && timedJobs(app).length > 0) stops.push(startJobScheduler(app, options))
  return async () => void (await Promise.all(stops.map(stop => stop())))
}

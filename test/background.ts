/** Handlers and jobs of extensions in tests. */
import { expect } from 'vitest'
import { startExtensions } from '../src/extensions/start.ts'
import type { TestApp } from './harness.ts'
import type { TokenClient } from './pages.ts'
import { until } from './until.ts'

/** Runs everything that is due, in all apps at once, then stops. */
export async function runDue(...sites: [TestApp, ...TestApp[]]): Promise<void> {
  const ends = await Promise.all(sites.map(({ app }) => startExtensions(app, { pollMs: 20 })))
  try {
    await until(async () => expect(await unfinished(sites[0])).toEqual([]))
  } finally {
    await Promise.all(ends.map(end => end()))
  }
}

/** The lanes whose first job is due or running, and the jobs that should be queued. */
async function unfinished({ app, storage }: TestApp): Promise<string[]> {
  const now = storage.clock()
  const schedules = await app.store.db.selectFrom('extension_schedules').select(['job', 'next_at']).execute()
  // In one statement: between two, a job could end and its lane be released.
  const jobs = await app.store.db
    .selectFrom('jobs')
    .leftJoin('job_lanes', join =>
      join.onRef('job_lanes.lane', '=', 'jobs.lane').onRef('job_lanes.queue', '=', 'jobs.queue'),
    )
    .select(['jobs.queue', 'jobs.lane', 'jobs.due_at', 'job_lanes.busy_until'])
    .where('jobs.queue', 'like', 'extension:%')
    .where('jobs.finished_at', 'is', null)
    .orderBy('jobs.number')
    .execute()
  const isFirst = ({ queue, lane }: (typeof jobs)[number], index: number) =>
    jobs.findIndex(other => other.queue === queue && other.lane === lane) === index
  const due = jobs.filter((job, index) => isFirst(job, index) && (job.due_at <= now || (job.busy_until ?? 0) > now))
  return [...schedules.filter(({ next_at }) => next_at <= now).map(({ job }) => job), ...due.map(({ lane }) => lane!)]
}

interface Run {
  id: string
  part: string
  state: string
  problem: string | null
}

/** The last runs of an extension, as the API shows them. */
export async function runsOf(admin: TokenClient, name: string): Promise<Run[]> {
  const { data } = await admin.done('GET', 'system/extensions?select=name,runs')
  return (data as { name: string; runs: Run[] }[]).find(extension => extension.name === name)!.runs
}

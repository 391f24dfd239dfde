import { listExtensions } from '../groups/system/extensions/extensions.ts'
import { withSite } from './site.ts'
import { type ExitCode, print, type Terminal } from './terminal.ts'

interface ExtensionOptions {
  site: string
  json?: boolean
}

export async function list({ site, json = false }: ExtensionOptions, terminal: Terminal): Promise<void> {
  await withSite(site, terminal, async app => {
    const all = (await listExtensions(app)).map(({ extension: { name, handlers }, jobs, waiting, failed }) => ({
      name,
      on: handlers.map(handler => handler.name),
      jobs: jobs.map(({ name: job, at, timeZone }) => ({ name: job, at, timeZone })),
      waiting,
      failed,
    }))
    const lines = all.flatMap(({ name, on, jobs, waiting, failed }) => [
      `${name}  ${waiting} waiting, ${failed} failed`,
      ...on.map(handler => `  on ${handler}`),
      ...jobs.map(
        ({ name: job, at, timeZone }) => `  job ${job}  ${at === null ? 'by hand' : `${at} ${timeZone ?? 'UTC'}`}`,
      ),
    ])
    print(terminal, json, all, lines.join('\n') || 'The site has no extensions.')
  })
}

export async function runNow(
  name: string,
  job: string,
  { site, json = false }: ExtensionOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  return withSite(site, terminal, async app => {
    const { runJob } = await import('../extensions/start.ts')
    const problem = await runJob(app, name, job)
    const status = problem === null ? 'ok' : 'error'
    const text = problem === null ? `${name}: job ${job} is done.` : `${name}: job ${job} has failed: ${problem}`
    print(terminal, json, { status, problem }, text)
    return problem === null ? 0 : 1
  })
}

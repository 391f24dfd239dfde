import { isEventPattern } from '../access/audit/patterns.ts'
import { type Cron, isTimeZone, parseCron } from '../platform/lib/cron.ts'
import type { Handler, ScheduledJob } from './handlers.ts'
import type { LoadedJob } from './loaded-extension.ts'

type Report = (problem: string) => void

/** Names are parts of lanes and of commands. */
const handlerName = /^[a-z][\w.*-]{0,79}$/i
const jobName = /^[a-z][\w-]{0,39}$/i
/** A day, in ms. */
const maxTimeout = 24 * 60 * 60_000

/** Checks the handlers and jobs of an extension, as far as the compiler cannot. */
export function loadBackground(
  { on = [], jobs = [] }: { on?: readonly Handler[]; jobs?: readonly ScheduledJob[] },
  report: Report,
): { handlers: readonly Handler[]; jobs: LoadedJob[] } {
  for (const [at, { name, event, timeout, run }] of on.entries()) {
    const place = `on ${event}`
    if (!isEventPattern(event) || event === '*') report(`${place}: there is no such event`)
    if (!handlerName.test(name)) report(`${place}: "${name}" is not a name such as sendMail`)
    if (on.findIndex(other => other.name === name) < at)
      report(`${place}: there are two handlers "${name}"; give one of them another name`)
    checkRun(place, timeout, run, report)
  }
  const loadedJobs = jobs.map((job, index) => {
    const { name, at, timeZone, timeout, run } = job
    const place = `job ${name}`
    if (!jobName.test(name)) report(`jobs: "${name}" is not a name such as nightly`)
    if (jobs.findIndex(other => other.name === name) < index) report(`jobs: there are two jobs "${name}"`)
    if (timeZone !== undefined && !isTimeZone(timeZone)) report(`${place}: there is no time zone "${timeZone}"`)
    checkRun(place, timeout, run, report)
    return { ...job, cron: at === undefined ? undefined : cronOf(place, at, report) }
  })
  return { handlers: on, jobs: loadedJobs }
}

function cronOf(place: string, at: unknown, report: Report): Cron | undefined {
  const cron = typeof at === 'string' ? parseCron(at) : 'must be a text such as "0 3 * * *"'
  if (typeof cron !== 'string') return cron
  report(`${place}: at: ${cron}`)
  return undefined
}

function checkRun(place: string, timeout: number, run: unknown, report: Report): void {
  if (typeof run !== 'function') report(`${place}: needs a function to run`)
  if (!(timeout >= 1 && timeout <= maxTimeout)) report(`${place}: timeout must be between 1 and ${maxTimeout}`)
}

import { DurationHistogram } from './lib/histogram.ts'

/** The requests of one endpoint, of other routes such as `media`, or of all unknown ones. */
export class RequestMetrics {
  readonly route: string
  readonly byStatus = new Map<number, number>()
  readonly durations = new DurationHistogram()
  /** How many of them the response cache has answered. */
  cached = 0

  constructor(route: string) {
    this.route = route
  }

  count(status: number, milliseconds: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1)
    this.durations.observe(milliseconds)
  }

  countCached(status: number, milliseconds: number): void {
    this.cached++
    this.count(status, milliseconds)
  }
}

/**
 * `next-step`: a second factor is needed, or a reset has begun. `failed`: a wrong password, code or passkey. `refused`:
 * any other error.
 */
export type SignInResult = 'ok' | 'next-step' | 'failed' | 'throttled' | 'refused'

type RunOutcome = 'done' | 'retried' | 'failed'

/**
 * What this process has done since it started. Gauges, such as open connections, are read when the metrics are scraped
 * and are not kept here.
 */
export interface Metrics {
  /** The same object for the same name. */
  requestsOf(route: string): RequestMetrics
  allRequests(): RequestMetrics[]
  readonly signIns: Record<SignInResult, number>
  /** Counts a run of a handler or job of an extension: `part` is `on page.published` or `job clean`. */
  countRun(extension: string, part: string, result: RunOutcome): void
  allRuns(): { extension: string; part: string; result: RunOutcome; count: number }[]
}

export function createMetrics(): Metrics {
  const requests = new Map<string, RequestMetrics>()
  const runs = new Map<string, ReturnType<Metrics['allRuns']>[number]>()
  return {
    requestsOf(route) {
      let found = requests.get(route)
      if (!found) requests.set(route, (found = new RequestMetrics(route)))
      return found
    },
    allRequests: () => [...requests.values()],
    countRun(extension, part, result) {
      const key = [extension, part, result].join('|')
      const run = runs.get(key)
      if (run) run.count++
      else runs.set(key, { extension, part, result, count: 1 })
    },
    allRuns: () => [...runs.values()],
    signIns: { ok: 0, 'next-step': 0, failed: 0, throttled: 0, refused: 0 },
  }
}

import { DurationHistogram } from './lib/histogram.ts'

/** The requests of one endpoint, or of one kind of route. */
export class RequestMetrics {
  readonly endpoint: string
  readonly byStatus = new Map<number, number>()
  readonly durations = new DurationHistogram()
  /** How many of them the response cache has answered. */
  cached = 0

  constructor(endpoint: string) {
    this.endpoint = endpoint
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

export type SignInResult = 'ok' | 'next-step' | 'failed' | 'throttled' | 'refused'

type RunResult = 'done' | 'retried' | 'failed'

/** What this process has done since it started. Whatever only the moment of reading tells is not counted here. */
export interface Metrics {
  /** The same object for the same name. */
  requestsOf(endpoint: string): RequestMetrics
  allRequests(): RequestMetrics[]
  readonly signIns: Record<SignInResult, number>
  /** Counts a run of a handler or job of an extension. */
  countRun(extension: string, part: string, result: RunResult): void
  allRuns(): { extension: string; part: string; result: RunResult; count: number }[]
}

export function createMetrics(): Metrics {
  const requests = new Map<string, RequestMetrics>()
  const runs = new Map<string, ReturnType<Metrics['allRuns']>[number]>()
  return {
    requestsOf(endpoint) {
      let found = requests.get(endpoint)
      if (!found) requests.set(endpoint, (found = new RequestMetrics(endpoint)))
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

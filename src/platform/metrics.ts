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

/** What this process has done since it started. Whatever only the moment of reading tells is not counted here. */
export interface Metrics {
  /** The same object for the same name. */
  requestsOf(endpoint: string): RequestMetrics
  allRequests(): RequestMetrics[]
  readonly signIns: Record<SignInResult, number>
}

export function createMetrics(): Metrics {
  const requests = new Map<string, RequestMetrics>()
  return {
    requestsOf(endpoint) {
      let found = requests.get(endpoint)
      if (!found) requests.set(endpoint, (found = new RequestMetrics(endpoint)))
      return found
    },
    allRequests: () => [...requests.values()],
    signIns: { ok: 0, 'next-step': 0, failed: 0, throttled: 0, refused: 0 },
  }
}

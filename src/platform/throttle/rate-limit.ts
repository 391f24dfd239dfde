import { createLruCache } from '../lib/lru-cache.ts'

/** Networks that are remembered. One that is forgotten may start anew. */
const maxNetworks = 10_000
const minute = 60_000

/**
 * Limits requests per network in memory, for clients that must not cause writes. `limit` requests at once, refilled
 * evenly within a minute. Each process counts for itself.
 */
export function createRateLimit(limit: number, now: () => number = () => performance.now()) {
  /** When the bucket of a network is full again, in ms. */
  const fullAt = createLruCache<number>(maxNetworks)
  const step = minute / limit
  return {
    /**
     * 0 if the request is allowed, or else how many seconds to wait. It counts as `cost` requests, but never as more
     * than the limit: it would be refused for ever.
     */
    take(network: string, cost = 1): number {
      const time = now()
      const next = Math.max(fullAt.get(network) ?? 0, time) + step * Math.min(cost, limit)
      const excess = next - time - minute
      if (excess > step / 1000) return Math.ceil(excess / 1000)
      fullAt.set(network, next)
      return 0
    },
  }
}

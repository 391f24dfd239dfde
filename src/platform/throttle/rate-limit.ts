import { createLruCache } from '../lib/lru-cache.ts'

/** Cache size. A network that is evicted starts with a full bucket. */
const maxNetworks = 10_000
const minuteMs = 60_000

/**
 * A token bucket per network: `limit` requests at once, refilled evenly within a minute. In memory, because requests
 * without credentials must not write to the database; so each process counts for itself.
 */
export function createRateLimit(limit: number, now: () => number = () => performance.now()) {
  /** When the bucket of a network is full again, in ms. */
  const fullAt = createLruCache<number>(maxNetworks)
  const msPerRequest = minuteMs / limit
  return {
    /**
     * Returns 0 if the request is allowed, or else how many seconds to wait. It counts as `cost` requests; `cost` is
     * capped at `limit`: a larger one could never be allowed.
     */
    take(network: string, cost = 1): number {
      const time = now()
      const next = Math.max(fullAt.get(network) ?? 0, time) + msPerRequest * Math.min(cost, limit)
      const excess = next - time - minuteMs
      // A thousandth of a request is tolerated, because sums of fractions are rounded.
      if (excess > msPerRequest / 1000) return Math.ceil(excess / 1000)
      fullAt.set(network, next)
      return 0
    },
  }
}

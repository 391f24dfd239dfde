import type { Config } from '../platform/config.ts'
import { type ApiError, fail } from '../platform/errors.ts'
import { clientIp, networkOf, parseNetworks } from '../platform/lib/ip.ts'
import { createLruCache } from '../platform/lib/lru-cache.ts'
import { createLimiter, LimiterFull } from '../platform/lib/concurrency-limiter.ts'
import { createRateLimit } from '../platform/throttle/rate-limit.ts'

/** How many requests clients without credentials may send. Each process counts for itself. */
export interface AnonymousLimit {
  /** 0 if the request is allowed, or else how many seconds to wait. */
  take(peer: string, forwardedFor: string | undefined, cost?: number): number
  /** Runs a request that reads all contents. A few run at once; others wait, or get 503 if too many do. */
  queued<Value>(client: { requestId: string; ip: string }, work: () => Promise<Value>): Promise<Value>
}

/** A request that reads all contents counts as this many. */
export const costOfReadingAll = 50
/** How many of them run at once, and how many wait in all and per network, for how many ms. */
const limiterOptions = { slots: 2, maxWaiting: 50, maxWaitingPerNetwork: 10, timeoutMs: 10_000 }

/** Cache of the networks of clients: computing one takes longer than sending a cached response. */
const maxClients = 1000
/** Maximum length of a key of that cache, in characters; a longer `X-Forwarded-For` is parsed each time. */
const maxLength = 100

/** The limit is for one address (IPv4) or one customer's network (IPv6 /64). */
export function createAnonymousLimit({ api, trustedProxies }: Config): AnonymousLimit {
  const { networks: proxies } = parseNetworks(trustedProxies)
  const limit = createRateLimit(api.anonymousPerMinute)
  const networks = createLruCache<string>(maxClients)
  const limiter = createLimiter(limiterOptions)
  return {
    take(peer, forwardedFor, cost) {
      const client = forwardedFor === undefined ? peer : `${peer} ${forwardedFor}`
      let network = networks.get(client)
      if (network === undefined) {
        network = networkOf(clientIp(peer, forwardedFor, proxies), 32, 64)
        if (client.length <= maxLength) networks.set(client, network)
      }
      return limit.take(network, cost)
    },

    async queued({ requestId, ip }, work) {
      try {
        return await limiter.run({ name: requestId, network: networkOf(ip, 32, 64) }, work)
      } catch (error) {
        throw error instanceof LimiterFull ? fail('busy') : error
      }
    },
  }
}

export const tooManyRequests = (seconds: number): ApiError =>
  fail('request.throttled', { seconds: String(seconds) }).with({ headers: { 'retry-after': String(seconds) } })

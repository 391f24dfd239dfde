import type { Config } from '../platform/config.ts'
import { clientIp, networkOf, parseNetworks } from '../platform/lib/ip.ts'
import { createLruCache } from '../platform/lib/lru-cache.ts'
import { createRateLimit } from '../platform/throttle/rate-limit.ts'

/** How many requests clients without credentials may send. Each process counts for itself. */
export interface StrangerLimit {
  /** 0 if the request is allowed, or else how many seconds to wait. */
  take(peer: string, forwardedFor: string | undefined): number
}

/** Clients whose network is remembered: finding it out takes longer than answering from the cache. */
const maxClients = 1000
/** Of what a client is remembered by; a longer `X-Forwarded-For` is parsed each time. */
const maxLength = 100

/** The limit is for one address (IPv4) or one customer's network (IPv6 /64). */
export function createStrangerLimit({ api, trustedProxies }: Config): StrangerLimit {
  const { networks: proxies } = parseNetworks(trustedProxies)
  const limit = createRateLimit(api.strangersPerMinute)
  const networks = createLruCache<string>(maxClients)
  return {
    take(peer, forwardedFor) {
      const client = forwardedFor === undefined ? peer : `${peer} ${forwardedFor}`
      let network = networks.get(client)
      if (network === undefined) {
        network = networkOf(clientIp(peer, forwardedFor, proxies), 32, 64)
        if (client.length <= maxLength) networks.set(client, network)
      }
      return limit.take(network)
    },
  }
}

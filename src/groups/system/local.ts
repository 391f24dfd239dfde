import type { App } from '../../app.ts'
import { isLoopbackName } from '../../platform/config.ts'
import { isIn, parseNetworks } from '../../platform/lib/ip.ts'
import { type HttpExchange, header } from '../../access/session/exchange.ts'

/** Headers that only those add who pass on the request of somebody else. */
const passedOn =
  /^(forwarded|via|x-forwarded-.*|x-original-.*|x-real-ip|(x-|true-|fastly-|fly-)client-ip|cf-.*|x-envoy-.*)$/

/**
 * Whether the request was made on this machine, by a program that speaks to us directly. A proxy on the same machine
 * brings the requests of strangers over the same loopback address, so everything must speak against one: we listen nowhere
 * else, the peer is no proxy that we know of, nothing says that the request was passed on, and it is addressed to (and comes
 * from a page of) a loopback name. nginx, as long as nobody tells it otherwise, says nothing at all about the caller and
 * calls us by our own name, but in HTTP/1.0, which no browser and no curl speaks by itself.
 */
export function isLocal({ config }: App, exchange: HttpExchange): boolean {
  const origin = header(exchange, 'origin')
  return (
    isLoopbackName(config.host === '::1' ? '[::1]' : config.host) &&
    /^(127\.|::1$)/.test(exchange.ip) && // nothing was forwarded, so it is the peer's
    !isIn(parseNetworks(config.trustedProxies).networks, exchange.ip) &&
    exchange.httpVersion !== '1.0' &&
    !Object.keys(exchange.headers).some(name => passedOn.test(name)) &&
    isLoopbackName((header(exchange, 'host') ?? '').toLowerCase().replace(/:\d+$/, '')) &&
    (origin === undefined || (URL.canParse(origin) && isLoopbackName(new URL(origin).hostname)))
  )
}

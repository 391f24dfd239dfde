import type { App } from '../../app.ts'
import { isLoopbackName } from '../../platform/config.ts'
import { isInNetwork, parseNetworks } from '../../platform/lib/ip.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'

/** Headers that only proxies add. */
const proxyHeader =
  /^(forwarded|via|x-forwarded-.*|x-original-.*|x-real-ip|(x-|true-|fastly-|fly-)client-ip|cf-.*|x-envoy-.*)$/

/**
 * Whether the client runs on this machine and connects directly. A proxy on the same machine forwards remote requests
 * from the same loopback address, so all of these must hold: the server listens only on loopback, the peer is no
 * trusted proxy, no forwarding header is present, and `Host` and `Origin` are loopback names. nginx by default adds no
 * header and sends its upstream name as `Host`, but it uses HTTP/1.0, which browsers and curl do not.
 */
export function isLocal({ config }: App, exchange: HttpExchange): boolean {
  const origin = exchange.headers['origin']
  return (
    isLoopbackName(config.host === '::1' ? '[::1]' : config.host) &&
    /^(127\.|::1$)/.test(exchange.ip) && // without forwarding headers this is the peer's address
    !isInNetwork(parseNetworks(config.trustedProxies).networks, exchange.ip) &&
    exchange.httpVersion !== '1.0' &&
    !Object.keys(exchange.headers).some(name => proxyHeader.test(name)) &&
    isLoopbackName((exchange.headers['host'] ?? '').toLowerCase().replace(/:\d+$/, '')) &&
    (origin === undefined || (URL.canParse(origin) && isLoopbackName(new URL(origin).hostname)))
  )
}

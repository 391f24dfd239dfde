import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { fail } from '../platform/errors.ts'
import { atMostEvery } from '../platform/lib/at-most-every.ts'
import { isInNetwork, networkOf, parseNetworks, normaliseIp } from '../platform/lib/ip.ts'
import { failure } from '../http/failure.ts'

interface Limits {
  config: {
    trustedProxies: readonly string[]
    http: { readTimeout: number; connectionsPerAddress: number }
  }
  log: Logger
}

/** At most one log line per interval, in ms: a client that opens many connections must not fill the log. */
const logEvery = 60_000

/**
 * Proxies reuse idle connections, for up to a minute by default: a request that is sent while one is closed gets no
 * response. In ms.
 */
const proxyIdleTimeout = 75_000

/**
 * Limits the connections per client address, and drops responses that the client does not read, because they stay in
 * memory. Trusted proxies are not limited, because all clients come through them, and may keep idle connections longer.
 */
export function limitConnections(server: Server, { config, log }: Limits, commonHeaders: Record<string, string>): void {
  const { networks: proxies } = parseNetworks(config.trustedProxies)
  const { readTimeout, connectionsPerAddress } = config.http
  const counts = new Map<string, number>()
  const isLogDue = atMostEvery(logEvery)

  const isFromProxy = ({ remoteAddress = '' }: Socket) => {
    const ip = normaliseIp(remoteAddress)
    return ip !== undefined && isInNetwork(proxies, ip)
  }

  server.on('connection', (socket: Socket) => {
    const ip = normaliseIp(socket.remoteAddress ?? '')
    if (ip === undefined || isFromProxy(socket)) return
    const address = networkOf(ip, 32, 64) // a single IPv6 client usually has a whole /64
    const count = (counts.get(address) ?? 0) + 1
    if (count > connectionsPerAddress) {
      refuse(socket, commonHeaders)
      if (isLogDue())
        log.warn(
          { connections: connectionsPerAddress },
          'refused connections of an address that has too many; if it is a proxy, name it in trustedProxies',
        )
      return
    }
    counts.set(address, count)
    socket.once('close', () => {
      const left = counts.get(address)! - 1
      if (left > 0) counts.set(address, left)
      else counts.delete(address)
    })
  })

  // In ms. The extra 1 keeps it different from the keep-alive timeout that Node sets between two requests.
  server.timeout = readTimeout * 1000 + 1
  // Emitted after this time without a byte sent or received, or read by the client from the send buffer.
  server.on('timeout', socket => {
    if (socket.writableLength > 0) {
      log.debug('dropped an answer that made no progress')
      socket.resetAndDestroy() // also discards the send buffer of the kernel
      return
    }
    if (socket.timeout === server.timeout) return // a handler is running, which may take longer
    if (socket.timeout !== proxyIdleTimeout && isFromProxy(socket)) socket.setTimeout(proxyIdleTimeout)
    else socket.destroy()
  })
}

function refuse(socket: Socket, commonHeaders: Record<string, string>): void {
  const { status, headers, body } = failure(fail('busy'), undefined)
  const lines = {
    ...commonHeaders,
    ...headers,
    'retry-after': '5',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.on('error', () => {})
  socket.write(`HTTP/1.1 ${status} Service Unavailable\r\n${head.join('')}\r\n${body}`)
  socket.destroySoon()
}

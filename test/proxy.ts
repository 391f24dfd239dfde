/** A TCP proxy in front of PostgreSQL that loses connections at chosen moments. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Fires once, when the client sends a text that contains `on` (after it sent `after` on the same connection): */
export interface Trap {
  on: string
  after?: string
  /**
   * `cut`: the server does not receive it and both connections are reset. `cut reply`: the server receives it, the
   * reply is lost. `half-close`: as `cut`, but the connections are ended normally.
   */
  act: 'cut' | 'cut reply' | 'half-close'
}

export interface Proxy {
  /** The database URL, through the proxy. */
  url: string
  /**
   * `open`: forwards everything. `down`: cuts and refuses connections. `hole`: accepts connections and data, never
   * replies.
   */
  become(state: 'open' | 'down' | 'hole'): void
  /** New connections lead to another server, and the present ones are cut: as a DNS record that changes. */
  lead(target: string): void
  set(trap: Trap): void
  /** Whether the trap has fired. */
  readonly fired: boolean
  /** Delay of every reply of the server, in ms. */
  delay: number
  readonly connections: number
  close(): Promise<void>
}

export async function createProxy(target: string): Promise<Proxy> {
  let address = target
  const pairs = new Set<[client: Socket, server: Socket]>()
  let state: 'open' | 'down' | 'hole' = 'open'
  let trap: Trap | undefined

  function cutAll(): void {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }

  const listener = createServer(client => {
    if (state === 'down') {
      client.resetAndDestroy()
      return
    }
    const { hostname, port } = new URL(address)
    const folder = decodeURIComponent(hostname)
    const server = folder.startsWith('/') ? connect(`${folder}/.s.PGSQL.${port}`) : connect(Number(port), hostname)
    const pair: [Socket, Socket] = [client, server]
    pairs.add(pair)
    let sent = ''
    let lost = false
    const stalled = state === 'hole'
    for (const socket of pair) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        pairs.delete(pair)
        for (const other of pair) other.destroy()
      })
    }
    client.on('data', bytes => {
      if (stalled || state === 'hole') return
      const text = bytes.toString('latin1')
      if (trap && text.includes(trap.on) && (trap.after === undefined || sent.includes(trap.after))) {
        const { act } = trap
        trap = undefined
        proxy.fired = true
        if (act === 'cut reply') lost = true
        else if (act === 'half-close') {
          client.end()
          server.destroy()
          return
        } else {
          client.resetAndDestroy()
          return
        }
      }
      sent += text
      server.write(bytes)
    })
    server.on('data', bytes => {
      if (lost) {
        client.resetAndDestroy()
        return
      }
      if (stalled || state === 'hole') return
      if (proxy.delay === 0) client.write(bytes)
      else void sleep(proxy.delay).then(() => client.writable && client.write(bytes))
    })
  })
  await new Promise<void>(ready => listener.listen(0, '127.0.0.1', ready))
  const own = (listener.address() as AddressInfo).port
  const proxy = {
    url: Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(own) }).href,
    become(next: typeof state) {
      state = next
      if (state === 'down') cutAll()
    },
    lead(next: string) {
      address = next
      cutAll()
    },
    set(next: Trap) {
      trap = next
      proxy.fired = false
    },
    fired: false,
    delay: 0,
    get connections() {
      return pairs.size
    },
    async close() {
      cutAll()
      await new Promise(closed => listener.close(closed))
    },
  }
  return proxy
}

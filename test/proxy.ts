/** A TCP proxy in front of PostgreSQL that breaks connections at chosen moments. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Breaks one connection, when the client sends a certain text. */
export interface Trap {
  /** The text. */
  on: string
  /** Only if the client has sent this before, on the same connection. */
  after?: string
  /**
   * `cut`: the server does not receive it and both connections are reset. `cut reply`: the server receives it, the
   * reply is lost. `half-close`: as `cut`, but the connection to the client ends with FIN instead of RST.
   */
  act: 'cut' | 'cut reply' | 'half-close'
}

export interface Proxy {
  /** The database URL, through the proxy. */
  url: string
  /**
   * `open`: forwards everything. `down`: cuts and refuses connections. `silent`: accepts connections and data, never
   * replies.
   */
  setState(state: State): void
  /** Cuts all connections, and connects new ones to another server, as if a DNS record had changed. */
  redirectTo(target: string): void
  setTrap(trap: Trap): void
  /** Whether the trap has fired. */
  readonly fired: boolean
  /** Delay of every reply of the server, in ms. */
  delay: number
  readonly connections: number
  close(): Promise<void>
}

type State = 'open' | 'down' | 'silent'

export async function createProxy(target: string): Promise<Proxy> {
  let address = target
  const pairs = new Set<[client: Socket, server: Socket]>()
  let state: State = 'open'
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
    const isStalled = state === 'silent'
    for (const socket of pair) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        pairs.delete(pair)
        for (const other of pair) other.destroy()
      })
    }
    client.on('data', bytes => {
      if (isStalled || state === 'silent') return
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
      if (isStalled || state === 'silent') return
      if (proxy.delay === 0) client.write(bytes)
      else void sleep(proxy.delay).then(() => client.writable && client.write(bytes))
    })
  })
  await new Promise<void>(ready => listener.listen(0, '127.0.0.1', ready))
  const own = (listener.address() as AddressInfo).port
  const proxy = {
    url: Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(own) }).href,
    setState(next: State) {
      state = next
      if (state === 'down') cutAll()
    },
    redirectTo(next: string) {
      address = next
      cutAll()
    },
    setTrap(next: Trap) {
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

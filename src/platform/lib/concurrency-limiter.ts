/** Thrown when all waiting places are taken, the client already waits, or the wait times out. */
export class LimiterFull extends Error {}

export interface LimiterOptions {
  /** How much work runs at once. */
  slots: number
  /** Maximum number of waiting clients in total and per network; by default one network may take all places. */
  maxWaiting: number
  maxWaitingPerNetwork?: number
  /** Additional waiting places for known clients only, which are served first. */
  reserved?: number
  /** Maximum wait. */
  timeoutMs: number
}

/** A client, by name or with more details. Each client has one waiting place. */
export type LimiterClient = string | NamedClient

interface NamedClient {
  name: string
  /** The network it comes from; undefined for clients that have a limit of their own. */
  network?: string | undefined
  /** Has authenticated before: a crowd of unknown clients cannot take its place. */
  known?: boolean
}

export interface ConcurrencyLimiter {
  /** Runs the work when a slot is free. The slot is taken until the work ends, even if the client is gone by then. */
  run<Value>(client: LimiterClient, work: () => Promise<Value>): Promise<Value>
  /** False if `run` would throw `LimiterFull` at once. */
  hasRoom(client: LimiterClient): boolean
  readonly slots: number
  readonly running: number
  readonly waiting: number
}

interface WaitingClient {
  client: NamedClient
  start: () => void
}

const toNamedClient = (client: LimiterClient) => (typeof client === 'string' ? { name: client } : client)

/**
 * Limits how much work runs at once in this process; further clients wait, first come, first served. One waiting place
 * per client and a limit per network, so that no client can take all of them. Known clients have places that others
 * cannot take.
 */
export function createLimiter(options: LimiterOptions): ConcurrencyLimiter {
  const { slots, maxWaiting, maxWaitingPerNetwork = maxWaiting, reserved = 0, timeoutMs } = options
  const unknownClients: WaitingClient[] = []
  const knownClients: WaitingClient[] = []
  let running = 0

  function hasRoom(client: NamedClient): boolean {
    if (running < slots) return true
    if ([...knownClients, ...unknownClients].some(place => place.client.name === client.name)) return false
    if (client.known && knownClients.length < reserved) return true
    const { network } = client
    const fromSameNetwork =
      network === undefined ? 0 : unknownClients.filter(place => place.client.network === network).length
    return unknownClients.length < maxWaiting && fromSameNetwork < maxWaitingPerNetwork
  }

  async function enter(client: NamedClient): Promise<void> {
    if (!hasRoom(client)) throw new LimiterFull()
    if (running < slots) {
      running++
      return
    }
    const places = client.known && knownClients.length < reserved ? knownClients : unknownClients
    await new Promise<void>((resolve, reject) => {
      const place: WaitingClient = {
        client,
        start: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        places.splice(places.indexOf(place), 1)
        reject(new LimiterFull())
      }, timeoutMs)
      places.push(place)
    })
  }

  function leave(): void {
    const next = knownClients.shift() ?? unknownClients.shift()
    if (next) next.start()
    else running--
  }

  return {
    slots,
    hasRoom: client => hasRoom(toNamedClient(client)),
    get running() {
      return running
    },
    get waiting() {
      return knownClients.length + unknownClients.length
    },
    async run(client, work) {
      await enter(toNamedClient(client))
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

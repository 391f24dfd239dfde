/** Thrown when the queue is full, the client already waits in it, or the wait times out. */
export class QueueFull extends Error {}

export interface QueueOptions {
  slots: number
  /** Maximum number of waiting clients in total and per network; by default one network may take all places. */
  waiting: number
  waitingPerNetwork?: number
  /** Additional waiting places for known clients only, which are served first. */
  reserved?: number
  /** Maximum wait, in milliseconds. */
  timeout: number
}

/** A client, by name or with more details. Each client has one waiting place. */
export type Client = string | NamedClient

interface NamedClient {
  name: string
  /** The network it comes from; undefined for clients that have a limit of their own. */
  network?: string | undefined
  /** Has authenticated before: a crowd of strangers cannot take its place. */
  known?: boolean
}

export interface Queue {
  /** Runs the work when a slot is free. The slot is taken until the work ends, even if the client is gone by then. */
  run<Value>(client: Client, work: () => Promise<Value>): Promise<Value>
  /** False if `run` would throw `QueueFull` at once. */
  hasRoom(client: Client): boolean
  readonly slots: number
  readonly running: number
  readonly waiting: number
}

interface WaitingClient {
  client: NamedClient
  start: () => void
}

const toNamedClient = (client: Client) => (typeof client === 'string' ? { name: client } : client)

/**
 * A first-come-first-served queue with limited length, one waiting place per client and a limit per network, so that no
 * client can fill it alone. Known clients have places that strangers cannot take.
 */
export function createQueue(options: QueueOptions): Queue {
  const { slots, waiting, waitingPerNetwork = waiting, reserved = 0, timeout } = options
  const strangers: WaitingClient[] = []
  const knownClients: WaitingClient[] = []
  let running = 0

  function hasRoom(client: NamedClient): boolean {
    if (running < slots) return true
    if ([...knownClients, ...strangers].some(place => place.client.name === client.name)) return false
    if (client.known && knownClients.length < reserved) return true
    const { network } = client
    const fromSameNetwork =
      network === undefined ? 0 : strangers.filter(place => place.client.network === network).length
    return strangers.length < waiting && fromSameNetwork < waitingPerNetwork
  }

  async function enter(client: NamedClient): Promise<void> {
    if (!hasRoom(client)) throw new QueueFull()
    if (running < slots) {
      running++
      return
    }
    const places = client.known && knownClients.length < reserved ? knownClients : strangers
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
        reject(new QueueFull())
      }, timeout)
      places.push(place)
    })
  }

  function leave(): void {
    const next = knownClients.shift() ?? strangers.shift()
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
      return knownClients.length + strangers.length
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

/** Thrown when the queue is full, the caller already waits in it, or the wait became too long. */
export class QueueFull extends Error {}

export interface QueueOptions {
  slots: number
  /** Waiting places in all, and of one network; by default a network may take all. */
  waiting: number
  waitingPerNetwork?: number
  /** Waiting places that only known clients take, and that are served first. */
  reserved?: number
  /** How long somebody waits at most, in milliseconds. */
  timeout: number
}

/** Who waits, by name or with more about them. Each client has one waiting place. */
export type Client = string | NamedClient

interface NamedClient {
  name: string
  /** Where it comes from; undefined for those who have a limit of their own. */
  network?: string | undefined
  /** Has proved before who it is: a crowd of strangers does not take its place. */
  known?: boolean
}

export interface Queue {
  /** Runs the work when a slot is free. The slot is held by the work itself, whatever becomes of who asked for it. */
  run<Value>(client: Client, work: () => Promise<Value>): Promise<Value>
  /** Whether `run` would be turned away at once. */
  hasRoom(client: Client): boolean
  readonly slots: number
  readonly running: number
  readonly waiting: number
}

interface Place {
  client: NamedClient
  enter: () => void
}

const named = (client: Client) => (typeof client === 'string' ? { name: client } : client)

/**
 * A first-come-first-served queue with a bounded length, one waiting place per client and a bounded number per network, so
 * that nobody can fill it alone. Known clients have places that strangers cannot take.
 */
export function createQueue(options: QueueOptions): Queue {
  const { slots, waiting, waitingPerNetwork = waiting, reserved = 0, timeout } = options
  const strangers: Place[] = []
  const known: Place[] = []
  let running = 0

  function hasRoom(client: NamedClient): boolean {
    if (running < slots) return true
    if ([...known, ...strangers].some(place => place.client.name === client.name)) return false
    if (client.known && known.length < reserved) return true
    const { network } = client
    const beside = network === undefined ? 0 : strangers.filter(place => place.client.network === network).length
    return strangers.length < waiting && beside < waitingPerNetwork
  }

  async function enter(client: NamedClient): Promise<void> {
    if (!hasRoom(client)) throw new QueueFull()
    if (running < slots) {
      running++
      return
    }
    const places = client.known && known.length < reserved ? known : strangers
    await new Promise<void>((resolve, reject) => {
      const place: Place = {
        client,
        enter: () => {
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
    const next = known.shift() ?? strangers.shift()
    if (next) next.enter()
    else running--
  }

  return {
    slots,
    hasRoom: client => hasRoom(named(client)),
    get running() {
      return running
    },
    get waiting() {
      return known.length + strangers.length
    },
    async run(client, work) {
      await enter(named(client))
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

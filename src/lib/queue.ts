/** Thrown when the queue is full, the caller already waits in it, or the wait became too long. */
export class QueueFull extends Error {}

export interface QueueOptions {
  slots: number
  waiting: number
  timeout: number
}

export interface Queue {
  /** Runs the work when a slot is free. The slot is held by the work itself, whatever becomes of who asked for it. */
  run<Value>(client: string, work: () => Promise<Value>): Promise<Value>
  /** Whether `run` would be turned away at once. */
  hasRoom(client: string): boolean
  readonly slots: number
  readonly running: number
  readonly waiting: number
}

interface Place {
  client: string
  enter: () => void
}

/**
 * A first-come-first-served queue with a bounded length and one waiting place per client, so that nobody can fill it
 * alone.
 */
export function createQueue({ slots, waiting, timeout }: QueueOptions): Queue {
  const places: Place[] = []
  let running = 0

  function hasRoom(client: string): boolean {
    return running < slots || (places.length < waiting && !places.some(place => place.client === client))
  }

  async function enter(client: string): Promise<void> {
    if (!hasRoom(client)) throw new QueueFull()
    if (running < slots) {
      running++
      return
    }
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
    const next = places.shift()
    if (next) next.enter()
    else running--
  }

  return {
    slots,
    hasRoom,
    get running() {
      return running
    },
    get waiting() {
      return places.length
    },
    async run(client, work) {
      await enter(client)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

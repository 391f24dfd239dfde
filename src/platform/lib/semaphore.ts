export interface Semaphore {
  /** Resolves with false if no slot becomes free within `timeoutMs`. Without a timeout it waits as long as it takes. */
  acquire(timeoutMs?: number): Promise<boolean>
  release(): void
}

/** A semaphore with `count` slots; waiters are served in order. */
export function createSemaphore(count: number): Semaphore {
  const waiting = new Set<() => void>()
  let free = count

  function wait(timeoutMs: number | undefined): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const take = () => {
      clearTimeout(timer)
      resolve(true)
    }
    waiting.add(take)
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(() => waiting.delete(take) && resolve(false), timeoutMs).unref()
    return promise
  }

  return {
    async acquire(timeoutMs) {
      if (free === 0) return wait(timeoutMs)
      free--
      return true
    },
    release() {
      const [next] = waiting
      if (!next) free++
      else {
        waiting.delete(next)
        next()
      }
    },
  }
}

export interface Semaphore {
  acquire(): Promise<void>
  release(): void
}

/** A semaphore with `count` slots; waiters are served in order. */
export function createSemaphore(count: number): Semaphore {
  const waiting: (() => void)[] = []
  let free = count
  return {
    async acquire() {
      if (free > 0) free--
      else await new Promise<void>(resolve => waiting.push(resolve))
    },
    release() {
      const next = waiting.shift()
      if (next) next()
      else free++
    },
  }
}

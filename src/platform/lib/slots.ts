export interface Slots {
  take(): Promise<void>
  pass(): void
}

/** A semaphore with `count` slots; waiters are served in order. */
export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = []
  let free = count
  return {
    async take() {
      if (free > 0) free--
      else await new Promise<void>(resolve => waiting.push(resolve))
    },
    pass() {
      const next = waiting.shift()
      if (next) next()
      else free++
    },
  }
}

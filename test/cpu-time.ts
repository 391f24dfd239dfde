import { setImmediate as nextTurn } from 'node:timers/promises'

/** The CPU time of this thread so far, in ms, independent of other load on the machine. Only for synchronous work. */
export function cpuTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The longest time for which the work blocks the event loop, in ms of CPU time. */
export async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  const state = { isOver: false }
  let last = cpuTime()
  const done = work().finally(() => (state.isOver = true))
  done.catch(() => undefined) // awaited at the end
  while (!state.isOver) {
    await nextTurn()
    const now = cpuTime()
    longest = Math.max(longest, now - last)
    last = now
  }
  await done
  return longest
}

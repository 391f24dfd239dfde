import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Of the 115 MB that a worker had after a load, 30 MB were left over from the middle compiler of V8, which is only
 * quicker while code is warming up, and 10 MB were garbage, because V8 lets a small heap grow fourfold.
 */
export function limitHeap(): void {
  setFlagsFromString('--no-maglev')
  setFlagsFromString('--heap-growing-percent=30')
}

/**
 * After the start, and after a load, the heap is twice as large as serving needs. A full garbage collection returns the
 * memory. It blocks the event loop for up to 300 ms, and V8 loses the code that it has compiled, so that the next
 * requests take twice the time: it waits until the server has been idle for a while. Right after the start there is
 * nothing to lose.
 */
export function collectGarbageWhenIdle(): void {
  let before = performance.eventLoopUtilization()
  let idleSeconds = 0
  let collected = 0
  let collect: ((options: { type: 'major'; flavor: 'last-resort' }) => void) | undefined
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(before)
    before = performance.eventLoopUtilization()
    idleSeconds = utilization > idleUtilization ? 0 : idleSeconds + 1
    if (idleSeconds < (collected === 0 ? 1 : idleSecondsAfterLoad)) return
    if (process.memoryUsage.rss() - collected < minGrowthBytes) return
    if (!collect) {
      setFlagsFromString('--expose-gc')
      collect = runInNewContext('gc') as NonNullable<typeof collect>
    }
    collect({ type: 'major', flavor: 'last-resort' })
    collected = process.memoryUsage.rss()
  }, 1000)
  timer.unref()
}

/** The utilization of the event loop (0 to 1) below which the server counts as idle. */
const idleUtilization = 0.02
const idleSecondsAfterLoad = 30
/** How much the memory must have grown since the last collection, in bytes. */
const minGrowthBytes = 16 * 1024 * 1024

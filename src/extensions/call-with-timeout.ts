import { Script } from 'node:vm'

/** Code of an extension has exceeded its time limit. */
export class TimeLimitExceeded extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`)
    this.name = 'TimeLimitExceeded'
  }
}

/** Where the script below finds the function: it runs in this context, and a script takes no arguments. */
const slot = Symbol.for('quoin.limited')
const start = new Script(`globalThis[Symbol.for('quoin.limited')]()`)

/**
 * Runs code of an extension with a time limit in ms. Its signal is aborted when the time is over. The part before the
 * first `await` runs in a script with a time limit of its own, which also ends a loop that never yields. Nothing can end
 * such a loop after an `await`, but what it returns is refused.
 */
export async function callWithTimeout(work: (signal: AbortSignal) => unknown, ms: number): Promise<unknown> {
  const controller = new AbortController()
  const startedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeLimitExceeded(ms)), ms)
  })
  try {
    const running = Promise.resolve(startLimited(() => work(controller.signal), ms))
    running.catch(() => {}) // an error after the time limit is ignored
    const result = await Promise.race([running, timeout])
    // The timer has not had its turn if the code has kept the event loop busy.
    if (performance.now() - startedAt > ms) throw new TimeLimitExceeded(ms)
    return result
  } finally {
    clearTimeout(timer)
    controller.abort()
  }
}

function startLimited(work: () => unknown, ms: number): unknown {
  const place = globalThis as { [slot]?: (() => unknown) | undefined }
  const outer = place[slot]
  place[slot] = work
  try {
    return start.runInThisContext({ timeout: ms })
  } catch (error) {
    throw isTimeout(error) ? new TimeLimitExceeded(ms) : error
  } finally {
    place[slot] = outer
  }
}

const isTimeout = (error: unknown) =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'

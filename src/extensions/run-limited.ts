/** How a run has ended: by itself, with an error, because its time was over, or with the server. */
export type Ending = { kind: 'done' | 'timeout' | 'stopped' } | { kind: 'failed'; error: unknown }

/** How long a run may still take when the server stops, in ms. */
const stopGraceMs = 4000

/**
 * Runs code of an extension with a limit. Code that does not end keeps running, because nothing can stop it; its signal
 * is aborted, and `cms` refuses it from then on.
 */
export async function runLimited(
  work: (signal: AbortSignal) => Promise<unknown>,
  { timeoutMs, stopping }: { timeoutMs: number; stopping: AbortSignal },
): Promise<Ending> {
  const controller = new AbortController()
  const timers: NodeJS.Timeout[] = []
  const limit = Promise.withResolvers<Ending>()
  const end = (kind: 'timeout' | 'stopped', reason: string) => {
    limit.resolve({ kind })
    controller.abort(new Error(reason))
  }
  const stop = () => void timers.push(setTimeout(() => end('stopped', 'the server stops'), stopGraceMs))
  timers.push(setTimeout(() => end('timeout', 'its time is over'), timeoutMs))
  if (stopping.aborted) stop()
  else stopping.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([ending(work, controller.signal), limit.promise])
  } finally {
    stopping.removeEventListener('abort', stop)
    for (const timer of timers) clearTimeout(timer)
  }
}

/** Never rejects: an error that comes after the limit has no other handler. */
async function ending(work: (signal: AbortSignal) => Promise<unknown>, signal: AbortSignal): Promise<Ending> {
  try {
    await work(signal)
    return { kind: 'done' }
  } catch (error) {
    return { kind: 'failed', error }
  }
}

import { readdirSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setPriority } from 'node:os'

/**
 * Gives the threads of Node's pool a lower priority than the main thread, which handles the requests: a password hash
 * takes a core for about 50 ms, and on a small machine all requests would wait for it. Linux only, where threads have a
 * priority.
 */
export async function lowerPoolPriority(priority: number): Promise<void> {
  if (process.platform !== 'linux') return
  await stat('/') // starts the pool if nothing has yet
  for (const thread of readdirSync('/proc/self/task')) {
    if (nameOf(thread) === 'libuv-worker') setPriority(Number(thread), priority)
  }
}

function nameOf(thread: string): string {
  try {
    return readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim()
  } catch {
    return '' // it has ended meanwhile
  }
}

/** Processes that are not children of the drill: those of PostgreSQL and the workers of Quoin. */
import { readdirSync, readFileSync } from 'node:fs'

/** The process ids of a process and of everything that it started. */
export function treeOf(root: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      // The name of the program is in brackets, and may have spaces.
      const [, parent] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
      parents.set(Number(name), Number(parent))
    } catch {
      // it has ended
    }
  }
  const found = [root]
  for (let index = 0; index < found.length; index++)
    for (const [pid, parent] of parents) if (parent === found[index]) found.push(pid)
  return found
}

/** Signals processes in this order, parents first: a parent would notice that its child is stopped. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      if (pid > 0) process.kill(pid, signal)
    } catch {
      // it has ended
    }
  }
}

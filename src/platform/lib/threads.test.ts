import { execFileSync } from 'node:child_process'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** In a process of its own: the priority of these threads would stay lowered. */
test.runIf(process.platform === 'linux')(
  'the threads of the pool get a lower priority, the main thread does not',
  () => {
    const program = `
    import { readdirSync, readFileSync } from 'node:fs'
    import { getPriority } from 'node:os'
    import { lowerPoolPriority } from '${join(import.meta.dirname, 'threads.ts')}'
    await lowerPoolPriority(7)
    const found = readdirSync('/proc/self/task').map(id => [
      readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim(), getPriority(Number(id))])
    console.log(JSON.stringify({ main: getPriority(), pool: found.filter(([name]) => name === 'libuv-worker').map(([, p]) => p) }))`
    const answer = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
    const { main, pool } = JSON.parse(answer) as { main: number; pool: number[] }
    expect(main).toBe(getPriority())
    expect(pool.length).toBeGreaterThan(0)
    expect(new Set(pool)).toEqual(new Set([7]))
  },
)

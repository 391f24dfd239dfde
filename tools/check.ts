/**
 * Runs lint with types, format, unused code and the lock file check, two at a time. Output is shown when a check has ended.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** The slowest first. `npm run types` is not among them, because the linter checks types, too. */
const scripts = ['lint', 'unused', 'format:check', 'lock']
const concurrency = 2

/**
 * The linter is written in Go: with these settings it collects garbage less often while it uses less than 4 GiB.
 * `checkers` in tsconfig.json is 1: each checker computes the types of all endpoints anew, so one takes half the CPU time
 * of four.
 */
const environment = { GOGC: '400', GOMEMLIMIT: '4GiB', ...process.env }

async function run(script: string): Promise<boolean> {
  const startedAt = performance.now()
  const child = spawn('npm', ['run', '--silent', script], {
    env: environment,
    shell: process.platform === 'win32',
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  console.log(`${code === 0 ? 'ok' : 'FAILED'}  ${script}  ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  if (code !== 0) console.log(output)
  return code === 0
}

const waiting = [...scripts]
const results: boolean[] = []
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    for (let script = waiting.shift(); script !== undefined; script = waiting.shift()) results.push(await run(script))
  }),
)
process.exitCode = results.every(Boolean) ? 0 : 1

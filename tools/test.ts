/**
 * `npm test`: the tests, and the checks of `npm run check` with low priority beside them, so that all cores are busy
 * while tests wait. The output of the checks is shown at the end, and below it what was skipped for lack of a browser.
 * Arguments are those of vitest.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { constants, setPriority } from 'node:os'
import { dirname, join } from 'node:path'

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')

const checks = spawn(process.execPath, [join(import.meta.dirname, 'check.ts')], { stdio: 'pipe' })
setPriority(checks.pid!, constants.priority.PRIORITY_BELOW_NORMAL)
let output = ''
for (const stream of [checks.stdout, checks.stderr]) stream.on('data', chunk => (output += String(chunk)))
const checked = once(checks, 'close') as Promise<[number | null]>

const tests = spawn(process.execPath, [vitest, 'run', ...process.argv.slice(2)], {
  stdio: ['inherit', 'inherit', 'pipe'],
})
let errors = ''
tests.stderr.on('data', chunk => {
  process.stderr.write(chunk as Buffer)
  errors += String(chunk)
})
const tested = once(tests, 'close') as Promise<[number | null]>

const codes = [(await tested)[0], (await checked)[0]]
console.log(output)
for (const line of errors.split('\n')) if (line.startsWith('!!! SKIPPED')) console.error(line)
process.exitCode = codes.every(code => code === 0) ? 0 : 1

/** `npm run bench -- <name>`: prints the measurements and writes them to bench/results.md. */
import { availableParallelism, cpus } from 'node:os'
import { auth } from './auth.ts'
import { calls } from './calls.ts'
import { content } from './content.ts'
import { events } from './events.ts'
import { moving } from './moving.ts'
import { ordinary } from './ordinary.ts'
import { publicReads } from './public.ts'
import { tree } from './tree.ts'
import { users } from './users.ts'
import { workers } from './workers.ts'
import { writeResults } from './results.ts'

interface Options {
  quick: boolean
  full: boolean
}

const scenarios: Record<string, (options: Options) => Promise<Parameters<typeof writeResults>[1]>> = {
  auth,
  users,
  content,
  public: publicReads,
  import: moving,
  tree,
  calls,
  events,
  ordinary,
  workers,
}

const name = process.argv.slice(2).find(word => !word.startsWith('--')) ?? ''
const [quick, full] = ['--quick', '--full'].map(word => process.argv.includes(word)) as [boolean, boolean]
const scenario = scenarios[name]
if (!scenario || process.argv.includes('--help')) {
  console.log(`Usage: npm run bench -- <${Object.keys(scenarios).join('|')}> [--quick] [--full] [--package]\n`)
  console.log(
    'Every figure is a ratio taken side by side in one run. --quick does less and writes no results; --full also fills ' +
      'PostgreSQL with a million pages (content) and prints each function (calls). --package measures what ' +
      '`npm run package` has built, instead of the sources.',
  )
  process.exit(scenario ? 0 : 2)
}

const figures = await scenario({ quick, full })
const program = process.argv.includes('--package') ? '; the package' : ''
const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'processor'}, ${process.platform}, Node ${process.versions.node}${program}`
console.table(figures.map(({ what, measured, target, met }) => ({ what, measured, target, met })))
if (!quick) writeResults(name, figures, machine)
process.exitCode = figures.every(({ met }) => met) ? 0 : 1

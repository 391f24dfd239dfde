/** `npm run drill`: causes faults in a whole installation, and shows their effects on clients. See `--help`. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { drill } from './drill/drill.ts'
import { help, readOptions } from './drill/options.ts'
import { missingPackages } from './drill/packages.ts'
import { isPassed, tableOf } from './drill/report.ts'
import { destroySystem } from './drill/system.ts'

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  let options
  try {
    options = readOptions(args)
  } catch (error) {
    console.error((error as Error).message)
    return 1
  }
  if (options.isHelp) {
    console.log(help)
    return 0
  }
  const missing = missingPackages()
  if (missing.length > 0) {
    console.error(`The drill needs programs that are not installed:\n  apt-get install ${missing.join(' ')}`)
    return 1
  }
  const startedAt = performance.now()
  const print = (line: string) =>
    console.log(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${line}`)
  const { logs } = options
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      destroySystem()
      process.exit(1)
    })
  try {
    const results = await drill(options, print, folder => {
      if (logs !== undefined) cpSync(join(folder, 'logs'), logs, { recursive: true })
    })
    console.log(`\n${tableOf(results)}\n`)
    for (const { name, lost } of results) for (const line of lost) console.log(`lost (${name}): ${line}`)
    const failed = results.filter(result => !isPassed(result))
    console.log(failed.length === 0 ? 'passed' : `failed: ${failed.map(({ name }) => name).join(', ')}`)
    return failed.length === 0 ? 0 : 1
  } finally {
    destroySystem()
  }
}

import { join, relative } from 'node:path'
import type { App } from '../app.ts'
import { openBlueprints } from '../blueprints/open.ts'
import { unknownQueries } from '../blueprints/unknown-queries.ts'
import { openExtensions } from '../extensions/open.ts'
import { describeDamage, findDamage } from './check/damage.ts'
import type { Fault } from './check/fault.ts'
import { findFaults } from './check/faults.ts'
import { repair as repairData } from './check/repair.ts'
import { sqlitePath } from '../platform/store/open.ts'
import { siteConfig } from './site-config.ts'
import { withSite } from './site.ts'
import { type ExitCode, print, type Terminal, UsageError } from './terminal.ts'

interface Options {
  json?: boolean
  /** Also checks the stored data for consistency. */
  data?: boolean
  thorough?: boolean
  repair?: boolean
}

/** Prints every mistake in the blueprints, one per line, in a format that editors and terminals turn into links. */
export async function check(
  folder: string,
  { json = false, data = false, ...options }: Options,
  terminal: Terminal,
): Promise<ExitCode> {
  if (!data && (options.repair || options.thorough)) throw new UsageError('--repair and --thorough are for --data.')
  const config = await siteConfig(folder, terminal)
  const { folder: site } = config
  const blueprints = openBlueprints(site, (await openExtensions(config)).blueprintParts)
  const { problems } = blueprints
  const queries = unknownQueries(join(site, 'blueprints'), blueprints)
  blueprints.close()
  const lines = problems.map(
    ({ file, line, column, message }) => `${relative('', join(site, file))}:${line}:${column} ${message}`,
  )
  const notes = queries.map(
    ({ file, line, query, names }) =>
      `${relative('', join(site, 'blueprints', file))}:${line} note: "${query}" gives nothing, because Quoin has no ${names.join(', ')}`,
  )
  const text = [...(lines.length === 0 ? ['The blueprints are in order.'] : lines), ...notes].join('\n')
  const path = sqlitePath(config)
  const damage = data && config.database.url === undefined ? findDamage(path) : undefined
  if (damage) {
    print(terminal, json, { status: 'error', problems, damage }, describeDamage(path, damage).join('\n'))
    return 1
  }
  const checked = data ? await withSite(folder, terminal, app => checkData(app, options, terminal)) : undefined
  const isWrong = lines.length > 0 || (checked?.faults.length ?? 0) > 0
  const value = {
    status: isWrong ? 'error' : 'ok',
    problems,
    ...(queries.length > 0 && { queries }),
    ...(checked && { data: checked }),
  }
  print(terminal, json, value, checked ? `${text}\n${reportText(checked)}` : text)
  return isWrong ? 1 : 0
}

interface DataReport {
  faults: Fault[]
  repaired: number
  unused: number
  notes: string[]
}

async function checkData(
  app: App,
  { thorough = false, repair = false }: Options,
  terminal: Terminal,
): Promise<DataReport> {
  const shown = showProgress(terminal)
  const options = { thorough, progress: shown.progress }
  try {
    const { faults, unused, notes } = await findFaults(app, options)
    if (!repair || faults.length === 0) return { faults, repaired: 0, unused, notes }
    await repairData(app, faults)
    const left = await findFaults(app, options)
    return { ...left, repaired: Math.max(0, faults.length - left.faults.length) }
  } finally {
    shown.done()
  }
}

const maxOfKind = 100

function reportText({ faults, repaired, unused, notes }: DataReport): string {
  const lines = [...Map.groupBy(faults, ({ kind }) => kind)].flatMap(([kind, ofKind]) => [
    ...ofKind.slice(0, maxOfKind).map(({ message }) => `${kind}: ${message}`),
    ...(ofKind.length > maxOfKind ? [`${kind}: and ${ofKind.length - maxOfKind} more`] : []),
  ])
  if (repaired > 0) lines.unshift(`Repaired: ${repaired}.`)
  lines.push(...notes.map(note => `note: ${note}`))
  if (unused > 0) lines.push(`Bytes that no file uses and that will be swept: ${unused}.`)
  return faults.length === 0 ? [...lines, 'The data is in order.'].join('\n') : lines.join('\n')
}

/** Shows progress in one line, if stderr is a terminal. */
function showProgress({ stderr }: Terminal) {
  let last = 0
  return {
    progress: (what: string, count: number): void => {
      if (!stderr.isTTY || performance.now() - last < 100) return
      last = performance.now()
      stderr.write(`\r\u001b[KLooking at ${what}${count > 0 ? `: ${count}` : ''}`)
    },
    done: () => void (stderr.isTTY && stderr.write('\r\u001b[K')),
  }
}

import { join, relative, resolve } from 'node:path'
import type { Blueprints } from '../blueprints/blueprints.ts'
import { openBlueprints } from '../blueprints/open.ts'
import { openExtensions } from '../extensions/open.ts'
import type { Extensions } from '../extensions/registry.ts'
import { NotGenerated, defaultFileName, writeTypings } from '../transfer/typings/file.ts'
import { siteConfig } from './site-config.ts'
import { print, type Terminal, UsageError } from './terminal.ts'

interface Options {
  out?: string
  watch?: boolean
  json?: boolean
}

/** Generates TypeScript types from the blueprints of a site, for users of the client. */
export async function types(
  folder: string,
  { out, watch = false, json = false }: Options,
  terminal: Terminal,
): Promise<void> {
  const config = await siteConfig(folder, terminal)
  const { folder: site } = config
  const extensions = await openExtensions(config)
  const file = out === undefined ? join(site, defaultFileName) : resolve(out)
  const blueprints = openBlueprints(site, extensions.parts)
  const write = () => {
    const isNew = writeTo(file, blueprints, extensions.tree)
    const shown = relative('', file)
    const state = isNew ? `Written: ${shown}` : `Nothing has changed in ${shown}`
    print(terminal, json, { status: 'ok', file, written: isNew, problems: blueprints.problems.length }, state)
    if (blueprints.problems.length > 0 && !json)
      terminal.stderr.write('quoin: there are mistakes in the blueprints; "quoin check" lists them.\n')
  }
  if (!watch) return write()
  const stopped = stopSignal() // before the first output: a signal may follow at once
  write()
  blueprints.watch(() => {
    try {
      write()
    } catch (error) {
      terminal.stderr.write(`quoin: ${(error as Error).message}\n`)
    }
  })
  const alive = setInterval(() => {}, 2 ** 30) // neither the watchers nor the signal handlers keep the process alive
  await stopped
  clearInterval(alive)
  blueprints.close()
}

function writeTo(file: string, blueprints: Blueprints, tree: Extensions['tree']): boolean {
  try {
    return writeTypings(blueprints, tree, file)
  } catch (error) {
    if (error instanceof NotGenerated)
      throw new UsageError(`${relative('', file)} was not made by this command and is not overwritten.`)
    throw error
  }
}

function stopSignal(): Promise<void> {
  return new Promise(done => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done())
  })
}

import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { copyStore } from '../transfer/copy/copy.ts'
import type { Config } from '../platform/config.ts'
import { openStore, sqlitePath } from '../platform/store/open.ts'
import { openSqlite } from '../platform/store/sqlite.ts'
import { createStore, type Store } from '../platform/store/store.ts'
import { siteConfig } from './site-config.ts'
import { print, showSteps, type Terminal, UsageError } from './terminal.ts'

interface Options {
  site: string
  to: string
  json?: boolean
  force?: boolean
}

/** Copies all rows of a site to another database. Files and secrets are not copied: both databases use them. */
export async function copy({ site, to, json = false, force = false }: Options, terminal: Terminal): Promise<void> {
  const config = await siteConfig(site, terminal)
  if (config.database.url === undefined && !existsSync(sqlitePath(config)))
    throw new UsageError(`There is nothing to copy yet: ${sqlitePath(config)} does not exist.`)
  const source = await openStore(config, { isMaintenance: true })
  const steps = showSteps(terminal)
  try {
    const target = await openTarget(config, to)
    try {
      const report = await copyStore(source, target, { force, progress: steps.of('Copying') })
      steps.done()
      const { alreadyCopied, ...rest } = report
      const earlier = alreadyCopied > 0 ? ` ${alreadyCopied} of them were there from an earlier run.` : ''
      const text = `Copied ${rest.rows} rows; all of them were read again and are the same.${earlier}\n${next(target)}`
      print(terminal, json, { status: 'ok', ...rest, found: alreadyCopied }, text)
    } finally {
      await target.close()
    }
  } finally {
    steps.done()
    await source.close()
  }
}

/** Connections to PostgreSQL: while rows are compared, one reads and another one writes. */
const connections = 3

async function openTarget(config: Config, to: string): Promise<Store> {
  if (/^postgres(ql)?:\/\//.test(to))
    return openStore({ ...config, database: { ...config.database, url: to, connections } }, { isMaintenance: true })
  const path = resolve(to.replace(/^sqlite:(\/\/)?/, ''))
  if (/^[a-z]{2,}:\/\//i.test(to)) throw new UsageError('--to must be postgres://… or the path of a SQLite file.')
  if (existsSync(path) && !statSync(path).isFile()) throw new UsageError(`${path} is no file.`)
  return createStore(openSqlite({ path, timeout: 60_000 }))
}

function next({ name }: Store): string {
  return name === 'postgres'
    ? 'Stop the server, copy once more with --force if content was changed meanwhile, and set QUOIN_DATABASE_URL.'
    : 'Stop the server, copy once more with --force if content was changed meanwhile, and remove QUOIN_DATABASE_URL: the file belongs at data/quoin.db.'
}

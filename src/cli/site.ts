import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Context, systemContext } from '../access/actor.ts'
import { type App, openApp } from '../app.ts'
import { type Config, loadConfig, type Settings } from '../platform/config.ts'
import { type Terminal, UsageError } from './terminal.ts'

/** The validated configuration of a site folder. */
export async function siteConfig(site: string, { env }: Terminal, options: Settings = {}): Promise<Config> {
  const folder = resolve(site)
  if (!['quoin.config.ts', 'blueprints', 'content'].some(name => existsSync(join(folder, name)))) {
    throw new UsageError(`There is no site in ${folder}: it has no quoin.config.ts, blueprints/ or content/.`)
  }
  return loadConfig({ site: folder, environment: env, options })
}

/** Opens the site, runs the work, and always closes the site again. */
export async function withSite<Value>(
  site: string,
  terminal: Terminal,
  work: (app: App) => Promise<Value>,
): Promise<Value> {
  const app = await openApp(await siteConfig(site, terminal))
  try {
    return await work(app)
  } finally {
    await app.close()
  }
}

/** The operator of the server has every permission. */
export const operatorContext = (app: App): Context => systemContext(app, 'command line')

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Config, loadConfig, type Settings } from '../platform/config.ts'
import { type Terminal, UsageError } from './terminal.ts'

/** The validated configuration of a site folder. */
export async function siteConfig(
  site: string,
  { env, without = [] }: Terminal,
  options: Settings = {},
): Promise<Config> {
  const folder = resolve(site)
  if (!['quoin.config.ts', 'blueprints', 'content'].some(name => existsSync(join(folder, name)))) {
    throw new UsageError(`There is no site in ${folder}: it has no quoin.config.ts, blueprints/ or content/.`)
  }
  return loadConfig({ site: folder, environment: env, options, without })
}

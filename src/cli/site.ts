import { type Context, systemContext } from '../access/actor.ts'
import { type App, openApp } from '../app.ts'
import { siteConfig } from './site-config.ts'
import type { Terminal } from './terminal.ts'

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

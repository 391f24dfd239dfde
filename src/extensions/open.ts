import type { Logger } from 'pino'
import { builtInParts } from '../blueprints/read.ts'
import type { Config } from '../platform/config.ts'
import type { Extensions } from './loaded-extension.ts'

const none: Extensions = Object.freeze({
  list: [],
  endpoints: undefined,
  rules: undefined,
  blueprintParts: builtInParts,
  panel: undefined,
})

/** Checks and loads the extensions of a site. Without any, none of the code for them is loaded. */
export async function openExtensions(config: Config, log?: Logger): Promise<Extensions> {
  if (config.extensions.length === 0) return none
  const { loadExtensions } = await import('./load.ts')
  return loadExtensions(config, log)
}

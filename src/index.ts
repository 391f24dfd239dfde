/** The CMS as a library: what `quoin.config.ts` and programs that embed the server import. */
export { openApp, type App, type AppOptions } from './app.ts'
export { type Config, ConfigError, defineConfig, loadConfig, type Settings } from './platform/config.ts'
export { createServer } from './server.ts'
export {
  type Cms,
  defineExtension,
  documents,
  endpoint,
  type Extension,
  type ExtensionEvent,
  fieldType,
  job,
  json,
  on,
  type ReadingCms,
  refuse,
  rule,
  type RuleContext,
  type RuleName,
} from './extensions/define.ts'
export { z } from 'zod'

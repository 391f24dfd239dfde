import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { readEnvironment, type Tree } from './config/environment.ts'
import { isExtension } from './config/extensions.ts'
import { isLeftOut, leaveOutImports } from './config/left-out.ts'
import { resolveOwnPackage } from './config/own-package.ts'
import { explainIssue } from './config/problems.ts'
import { type CheckedSettings, schema, type Settings } from './config/settings.ts'

export type { Settings }

export type Config = Readonly<
  Omit<CheckedSettings, 'url' | 'data' | 'development' | 'delivery'> & {
    delivery: CheckedSettings['delivery'] & { tags: boolean }
    /** The folder of the site. */
    folder: string
    data: string
    development: boolean
    /** The public URL, without a trailing slash. */
    url: string
    /** The path of the public URL: `''` or `/cms`. */
    base: string
    secure: boolean
    /** Names of extensions that are left out although the settings may list them. */
    withoutExtensions: readonly string[]
  }
>

/** Gives `quoin.config.ts` its types: `export default defineConfig({ … })`. */
export function defineConfig(settings: Settings): Settings {
  return settings
}

/** One line for each invalid setting. */
export class ConfigError extends Error {
  readonly problems: string[]

  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

export interface ConfigSource {
  site: string
  environment?: Record<string, string | undefined>
  /** Settings that override file and environment: the options of the command line. */
  options?: Settings
  /** Names of extensions that are left out, even if they cannot be loaded. */
  without?: readonly string[]
}

export async function loadConfig({
  site,
  environment = {},
  options = {},
  without = [],
}: ConfigSource): Promise<Config> {
  const folder = resolve(site)
  const variables = readEnvironment(environment)
  const file = await readFile(folder, without)
  const merged = [file.settings, variables.settings, options].reduce<Tree>(merge, {})
  const leftOut = new Set([...file.skipped, ...(file.without.size > 0 ? leaveOut(merged, file.without) : [])])
  const unknown = without.filter(name => !leftOut.has(name))
  const checked = schema.safeParse(merged)
  const problems = [
    ...variables.problems,
    ...unknown.map(name => `--without ${name}: the settings have no extension with this name`),
    ...(checked.success ? [] : checked.error.issues.flatMap(issue => explainIssue(issue, variables.names))),
  ]
  if (!checked.success || problems.length > 0) throw new ConfigError(problems)
  return complete(folder, checked.data, file.without)
}

function complete(folder: string, settings: CheckedSettings, without: ReadonlySet<string>): Config {
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host
  const isWildcard = ['0.0.0.0', '[::]'].includes(host)
  const address = settings.url ?? `http://${isWildcard ? 'localhost' : host}:${settings.port}`
  if (!URL.canParse(address)) throw new ConfigError(['host: must be an address or a name such as 127.0.0.1'])
  const { origin: root, protocol, hostname, pathname } = new URL(address)
  const base = pathname.replace(/\/$/, '')
  const url = root + base
  const secure = protocol === 'https:'
  if (!secure && !isLoopbackName(hostname) && !settings.api.allowInsecure) {
    throw new ConfigError([
      `url: ${url} is not HTTPS, so passwords could be read on the way. ` +
        'Use an https:// address, or set api.allowInsecure if this network is trusted.',
    ])
  }
  const development = settings.development ?? isLoopbackName(hostname)
  const { delivery } = settings
  // Not frozen: an extension has schemas and code of its own.
  const { extensions, ...plain } = settings
  const frozen = deepFreeze({
    ...plain,
    media: { ...settings.media, sizes: withFixedSizes(settings.media.sizes) },
    delivery: { ...delivery, tags: delivery.tags ?? delivery.purge.url !== undefined },
    folder,
    data: resolve(folder, settings.data ?? 'data'),
    development,
    url,
    base,
    secure,
    withoutExtensions: [...without],
  })
  return Object.freeze({ ...frozen, extensions: Object.freeze(extensions) as typeof extensions })
}

/** The sizes of thumbnails that every site has. */
const fixedSizes = ['128x', '256x', '512x', '768x', '1024x']

/** `1600` is short for `1600x`. */
function withFixedSizes(added: readonly string[]): string[] {
  return [...new Set([...fixedSizes, ...added.map(size => size.replace(/^\d+$/, '$&x'))])]
}

export function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

// ---- the file

/** Removes extensions by name, and what stands for one whose file was not loaded. Returns the names of the former. */
function leaveOut(settings: Tree, without: ReadonlySet<string>): string[] {
  const { extensions } = settings
  if (isLeftOut(extensions)) settings['extensions'] = []
  if (!Array.isArray(extensions)) return []
  const named = extensions.filter(isExtension).filter(({ name }) => without.has(name))
  settings['extensions'] = extensions.filter(one => !isLeftOut(one) && !named.includes(one))
  return named.map(({ name }) => name)
}

interface SettingsFile {
  settings: Tree
  /** The names of extensions that are left out. */
  without: ReadonlySet<string>
  /** Those whose files were not loaded. */
  skipped: ReadonlySet<string>
}

async function readFile(site: string, without: readonly string[]): Promise<SettingsFile> {
  const path = join(site, 'quoin.config.ts')
  if (!existsSync(path)) return { settings: {}, without: new Set(without), skipped: new Set() }
  resolveOwnPackage()
  const leftOut = without.length > 0 ? leaveOutImports(path, without) : undefined
  let module: { default?: unknown }
  try {
    module = (await import(pathToFileURL(path).href)) as { default?: unknown }
  } catch (error) {
    throw new ConfigError(describeFailure(error, site))
  } finally {
    leftOut?.end()
  }
  if (typeof module.default !== 'object' || module.default === null) {
    throw new ConfigError(['quoin.config.ts: export the settings: export default defineConfig({ … })'])
  }
  return {
    settings: module.default as Tree,
    without: leftOut?.names ?? new Set(),
    skipped: leftOut?.skipped ?? new Set(),
  }
}

/** Names the first file of the site in the stack: a mistake may be in an extension that the settings import. */
function describeFailure(error: unknown, site: string): string[] {
  if (!(error instanceof Error)) return [`quoin.config.ts: ${String(error)}`]
  const { stack = '', message } = error
  const [place] = stack.match(new RegExp(`${RegExp.escape(pathToFileURL(site).pathname)}/[^\\s:)'"]+`)) ?? []
  const file = place === undefined ? 'quoin.config.ts' : relative(site, decodeURIComponent(place))
  // Its message is JSON of many lines.
  if (error instanceof z.ZodError)
    return error.issues
      .flatMap(issue => explainIssue(issue, new Map()))
      .map(line => `${file}: ${line.replace(/^: /, '')}`)
  const [line] = place === undefined ? [] : (stack.match(new RegExp(`(?<=${RegExp.escape(place)}):\\d+`)) ?? [])
  const [reason, importer = file + (line ?? '')] = message
    .split('\n')[0]!
    .replaceAll(`${site}/`, '')
    .split(' imported from ')
  const isMissing = 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  const isOfExtension = isMissing || !importer.startsWith('quoin.config.ts')
  const hint = isOfExtension ? ' (--without <name> leaves an extension out)' : ''
  return [`${importer}: ${reason}${hint}`]
}

// ---- plain objects

function merge(under: Tree, over: Tree): Tree {
  const merged = { ...under }
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue
    const below = merged[key]
    merged[key] = isTree(below) && isTree(value) ? merge(below, value) : value
  }
  return merged
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner as object)
  return Object.freeze(value)
}

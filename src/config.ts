import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { parseNetworks } from './lib/ip.ts'
import { parseSender } from './lib/sender.ts'

const minute = 60
const day = 24 * 60 * minute

const origin = z
  .string()
  .refine(
    text => URL.canParse(text) && new URL(text).origin === text,
    'must be an origin such as https://panel.example.org',
  )
const seconds = (fallback: number) =>
  z
    .int()
    .min(1)
    .max(400 * day)
    .default(fallback)

/** Every setting. A name here is its path in `quoin.config.ts` and, in upper snake case, its `QUOIN_…` variable. */
const schema = z.strictObject({
  url: z
    .string()
    .refine(isPublicUrl, 'must be an address such as https://example.org or https://example.org/cms')
    .optional(),
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(4080),
  data: z.string().min(1).optional(),
  /** Blueprints are read again when they change. On by itself where the address is loopback. */
  development: z.boolean().optional(),
  trustedProxies: z
    .array(z.string())
    .refine(list => parseNetworks(list).wrong.length === 0, 'must be addresses or networks such as 10.0.0.0/8')
    .default([]),
  database: z
    .strictObject({
      url: z
        .string()
        .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
        .optional(),
      connections: z.int().min(1).max(200).default(10),
      timeout: seconds(2),
    })
    .prefault({}),
  api: z
    .strictObject({
      basicAuth: z.boolean().default(false),
      allowInsecure: z.boolean().default(false),
      cors: z.array(origin).default([]),
    })
    .prefault({}),
  panel: z.strictObject({ origins: z.array(origin).default([]) }).prefault({}),
  auth: z
    .strictObject({
      password: z.strictObject({ minLength: z.int().min(8).max(64).default(15) }).prefault({}),
      session: z
        .strictObject({
          idle: seconds(60 * minute),
          absolute: seconds(12 * 60 * minute),
          longIdle: seconds(14 * day),
          longAbsolute: seconds(30 * day),
          perUser: z.int().min(1).max(1000).default(25),
          perAdmin: z.int().min(1).max(1000).default(10),
        })
        .prefault({}),
      /** Off only for automated tests of a site. */
      throttle: z.boolean().default(true),
      argon2: z
        .strictObject({
          memory: z.int().min(19_456).max(262_144).default(19_456),
          passes: z.int().min(2).max(10).default(2),
        })
        .prefault({}),
    })
    .prefault({}),
  /** The ids of the pages that stand for the site itself and for what is not found. */
  home: z.string().min(1).max(200).default('home'),
  error: z.string().min(1).max(200).default('error'),
  /** How many versions of a content are kept, and for how many days; the last one always. */
  history: z
    .strictObject({ keep: z.int().min(1).max(10_000).default(100), days: z.int().min(1).max(36_500).default(3650) })
    .prefault({}),
  files: z
    .strictObject({
      /** The largest file that is taken, in bytes. */
      maxSize: z
        .int()
        .min(1024)
        .max(1024 ** 4)
        .default(20 * 1024 * 1024),
      /** The most pixels that a picture may have. */
      maxPixels: z.int().min(1).max(1_000_000_000).default(100_000_000),
    })
    .prefault({}),
  /** Where bytes are kept: in the data folder, or in S3-compatible storage for several machines. */
  media: z
    .strictObject({
      s3: z
        .strictObject({
          endpoint: z
            .url({ protocol: /^https?$/, error: 'must be an address such as https://s3.example.org' })
            .optional(),
          region: z.string().min(1).default('auto'),
          bucket: z
            .string()
            .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
            .optional(),
          accessKey: z.string().min(1).optional(),
          secretKey: z.string().min(1).optional(),
        })
        .superRefine((s3, context) => {
          const names = ['endpoint', 'bucket', 'accessKey', 'secretKey'] as const
          if (names.every(name => s3[name] === undefined)) return
          for (const name of names)
            if (s3[name] === undefined)
              context.addIssue({
                code: 'custom',
                path: [name],
                message: 'must be given when the others of media.s3 are',
              })
        })
        .prefault({}),
    })
    .prefault({}),
  /** How long events are kept, in days. Where they came from is forgotten after 90 in any case. */
  audit: z.strictObject({ keepDays: z.int().min(30).max(36_500).default(400) }).prefault({}),
  secrets: z
    .strictObject({
      session: z.array(z.string()).default([]),
      pepper: z.array(z.string()).default([]),
      vault: z.array(z.string()).default([]),
    })
    .prefault({}),
  mail: z
    .strictObject({
      url: z
        .string()
        .refine(isMailUrl, 'must be an address such as smtp://user:password@mail.example.org:587')
        .optional(),
      from: z
        .string()
        .refine(
          text => parseSender(text) !== undefined,
          'must be an address such as cms@example.org or Our site <cms@example.org>',
        )
        .optional(),
    })
    .refine(mail => mail.url === undefined || mail.from !== undefined, {
      path: ['from'],
      message: 'must be given when mail.url is',
    })
    .prefault({}),
  log: z.strictObject({ level: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info') }).prefault({}),
})

/** What a `quoin.config.ts` may contain. */
export type Settings = z.input<typeof schema>
type Checked = z.output<typeof schema>

export type Config = Readonly<
  Omit<Checked, 'url' | 'data' | 'development'> & {
    site: string
    data: string
    development: boolean
    /** The public address, without a slash at its end. */
    url: string
    /** The path of the public address: `''` or `/cms`. */
    base: string
    secure: boolean
  }
>

/** Gives `quoin.config.ts` its types: `export default defineConfig({ … })`. */
export function defineConfig(settings: Settings): Settings {
  return settings
}

/** One line for each wrong setting. */
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
  /** Settings that beat file and environment: the options of the command line. */
  options?: Settings
}

export async function loadConfig({ site, environment = {}, options = {} }: ConfigSource): Promise<Config> {
  const folder = resolve(site)
  const variables = readEnvironment(environment)
  const merged = [await readFile(folder), variables.settings, options].reduce<Tree>(merge, {})
  const checked = schema.safeParse(merged)
  const problems = [
    ...variables.problems,
    ...(checked.success ? [] : checked.error.issues.flatMap(issue => describe(issue, variables.names))),
  ]
  if (!checked.success || problems.length > 0) throw new ConfigError(problems)
  return complete(folder, checked.data)
}

function complete(site: string, settings: Checked): Config {
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
  return deepFreeze({ ...settings, site, data: resolve(site, settings.data ?? 'data'), development, url, base, secure })
}

export function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, search, hash, username, password, pathname } = new URL(text)
  return (
    (protocol === 'https:' || protocol === 'http:') &&
    !search &&
    !hash &&
    !username &&
    !password &&
    /^(\/[\w.~-]+)*\/?$/.test(pathname)
  )
}

function isMailUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(text)
  return (
    (protocol === 'smtp:' || protocol === 'smtps:') &&
    /^([\w-]+(\.[\w-]+)*|\[[\da-f:.]+\])$/i.test(hostname) &&
    canDecode(username + password) &&
    (pathname === '' || pathname === '/') &&
    !search &&
    !hash
  )
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

// ---- the file

async function readFile(site: string): Promise<Tree> {
  const path = join(site, 'quoin.config.ts')
  if (!existsSync(path)) return {}
  let module: { default?: unknown }
  try {
    module = (await import(pathToFileURL(path).href)) as { default?: unknown }
  } catch (error) {
    throw new ConfigError([`quoin.config.ts: ${(error as Error).message.split('\n')[0]}`])
  }
  if (typeof module.default !== 'object' || module.default === null) {
    throw new ConfigError(['quoin.config.ts: export the settings: export default defineConfig({ … })'])
  }
  return module.default as Tree
}

// ---- the environment

interface Tree {
  [name: string]: unknown
}

interface Leaf {
  path: string[]
  type: z.ZodType
}

function readEnvironment(environment: Record<string, string | undefined>) {
  const leaves = new Map(leavesOf(schema).map(leaf => [variableName(leaf.path), leaf]))
  const settings: Tree = {}
  const names = new Map<string, string>()
  const problems: string[] = []
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith('QUOIN_') || name.startsWith('QUOIN_TEST_') || text === undefined) continue
    const leaf = leaves.get(name)
    if (!leaf) {
      problems.push(`${name}: there is no such setting`)
      continue
    }
    names.set(leaf.path.join('.'), name)
    const parents = leaf.path.slice(0, -1)
    const parent = parents.reduce<Tree>((tree, key) => (tree[key] ??= {}) as Tree, settings)
    parent[leaf.path.at(-1)!] = fromText(leaf.type, text)
  }
  return { settings, names, problems }
}

function leavesOf(type: z.ZodType, path: string[] = []): Leaf[] {
  const inner = unwrap(type)
  if (!(inner instanceof z.ZodObject)) return [{ path, type: inner }]
  return Object.entries(inner.shape as Record<string, z.ZodType>).flatMap(([key, value]) =>
    leavesOf(value, [...path, key]),
  )
}

function unwrap(type: z.ZodType): z.ZodType {
  return type instanceof z.ZodDefault || type instanceof z.ZodPrefault || type instanceof z.ZodOptional
    ? unwrap(type.unwrap() as z.ZodType)
    : type
}

function variableName(path: string[]): string {
  return `QUOIN_${path
    .join('_')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()}`
}

/** Text that is not what the type asks for stays text, so that the schema says what is wrong with it. */
function fromText(type: z.ZodType, text: string): unknown {
  if (type instanceof z.ZodBoolean) return { true: true, '1': true, false: false, '0': false }[text] ?? text
  if (type instanceof z.ZodNumber) return /^\d+$/.test(text) ? Number(text) : text
  if (type instanceof z.ZodArray) return text.split(',').flatMap(item => item.trim() || [])
  return text
}

// ---- problems in words

function describe(issue: z.core.$ZodIssue, names: Map<string, string>): string[] {
  const path = issue.path.filter(key => typeof key === 'string').join('.')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => `${path ? `${path}.` : ''}${key}: there is no such setting`)
  }
  return [`${names.get(path) ?? path}: ${wording(issue)}`]
}

function wording(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${{ boolean: 'true or false', int: 'a whole number', number: 'a whole number', array: 'a list', object: 'a group of settings' }[issue.expected as string] ?? 'a text'}`
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`
    case 'too_big':
      return `must be at most ${issue.maximum}`
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`
    default:
      return issue.message
  }
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

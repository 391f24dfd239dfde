import { z } from 'zod'
import { type ConfiguredExtension, describeEntry, isExtension } from './extensions.ts'
import { problemOfDatabaseUrl } from '../lib/database-url.ts'
import { parseNetworks } from '../lib/ip.ts'
import { parseFromAddress } from '../lib/from-address.ts'

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

/** Each side in pixels. */
const maxSide = 4096
const sizeProblem = `must be sizes such as 640x or 640x480-crop, of at most ${maxSide} pixels`

const webhookSecret = z
  .string()
  .regex(/^whsec_[A-Za-z\d+/]{32,100}={0,2}$/, 'must be whsec_ and at least 24 bytes of base64')

/** Every setting. A name here is its path in `quoin.config.ts` and, in upper snake case, its `QUOIN_…` variable. */
export const schema = z.strictObject({
  url: z
    .string()
    .refine(isPublicUrl, 'must be an address such as https://example.org or https://example.org/cms')
    .optional(),
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(4080),
  data: z.string().min(1).optional(),
  /** Reload blueprints when they change. On by default if the address is loopback. */
  development: z.boolean().optional(),
  trustedProxies: z
    .array(z.string())
    .refine(list => parseNetworks(list).wrong.length === 0, 'must be addresses or networks such as 10.0.0.0/8')
    .default([]),
  database: z
    .strictObject({
      url: z
        .string()
        .superRefine((url, context) => {
          const problem = problemOfDatabaseUrl(url)
          if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
        })
        .optional(),
      connections: z.int().min(1).max(200).default(10),
      /** Timeout of statements and connections, and of SQLite's wait for the lock of another process, in seconds. */
      timeout: seconds(10),
      /** A connection to PostgreSQL is replaced after so many seconds, so that a changed DNS record takes effect. */
      maxLifetime: seconds(5 * minute),
      /** Whether PostgreSQL prepares statements once per connection. By default, unless a pooler does not support it. */
      preparedStatements: z.boolean().optional(),
    })
    .prefault({}),
  http: z
    .strictObject({
      /** How long a response may wait for a client that does not read it, in seconds. */
      readTimeout: seconds(30),
      /** Maximum number of open connections per IP address. Trusted proxies have no limit. */
      connectionsPerAddress: z.int().min(1).max(1_000_000).default(256),
      /** Sites on HTTPS send `Strict-Transport-Security`; with this it includes their subdomains. */
      hstsIncludeSubDomains: z.boolean().default(false),
    })
    .prefault({}),
  api: z
    .strictObject({
      basicAuth: z.boolean().default(false),
      allowInsecure: z.boolean().default(false),
      cors: z.array(origin).default([]),
      /**
       * Whether anonymous clients may read published content. By default `blueprints/users/nobody.yml` decides; `false` closes
       * the site whatever that file says.
       */
      public: z.boolean().optional(),
      /** Requests per minute and network of clients without credentials; answers of the cache count, too. */
      anonymousPerMinute: z.int().min(1).max(10_000_000).default(6000),
    })
    .prefault({}),
  site: z
    .strictObject({
      /** Where visitors see the site, if that is not `url`. Addresses of pages begin with it, and previews need it. */
      url: z
        .string()
        .refine(isPublicUrl, 'must be an address such as https://www.example.org')
        .transform(url => url.replace(/\/$/, ''))
        .optional(),
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
  delivery: z
    .strictObject({
      /** For how many seconds shared caches may keep answers to anonymous clients; 0 means not at all. */
      sharedMaxAge: z
        .int()
        .min(0)
        .max(365 * day)
        .default(60),
      /** Whether answers to anonymous clients name what they depend on (`Surrogate-Key`, `Cache-Tag`). On if `purge` is given. */
      tags: z.boolean().optional(),
      /** The shared cache that gets purge requests, and their format. */
      purge: z
        .strictObject({
          kind: z.enum(['varnish', 'fastly', 'cloudflare', 'url']).optional(),
          /** Where the request is sent to. Private networks are allowed: the operator chooses it. */
          url: z
            .url({ protocol: /^https?$/, error: 'must be an address such as http://127.0.0.1:6081/' })
            .max(2000)
            .refine(text => isWithoutCredentials(text), 'must have no user and password: use delivery.purge.token')
            .optional(),
          /** Sent as `Authorization: Bearer`, to Fastly as `Fastly-Key`. */
          token: z
            .string()
            .regex(/^[!-~]{1,1000}$/, 'must be printable ASCII without spaces')
            .optional(),
        })
        .superRefine((purge, context) => {
          for (const name of ['kind', 'url'] as const)
            if (purge[name] === undefined && Object.values(purge).some(value => value !== undefined))
              context.addIssue({
                code: 'custom',
                path: [name],
                message: 'must be given when the others of delivery.purge are',
              })
        })
        .prefault({}),
    })
    .prefault({}),
  /** The ids of the home page and of the error page, which is shown if a page is not found. */
  home: z.string().min(1).max(200).default('home'),
  error: z.string().min(1).max(200).default('error'),
  /** How many versions of a content are kept, and for how many days; the latest version always stays. */
  history: z
    .strictObject({ keep: z.int().min(1).max(10_000).default(100), days: z.int().min(1).max(36_500).default(3650) })
    .prefault({}),
  /** For how many days deleted pages, files and accounts can be restored. 0: they are deleted permanently at once. */
  trash: z.strictObject({ days: z.int().min(0).max(36_500).default(30) }).prefault({}),
  files: z
    .strictObject({
      /** Maximum size of an uploaded file, in bytes. */
      maxSize: z
        .int()
        .min(1024)
        .max(1024 ** 4)
        .default(20 * 1024 * 1024),
      /** Maximum number of pixels of an image. */
      maxPixels: z.int().min(1).max(1_000_000_000).default(100_000_000),
      /** How many former versions of the bytes of a file are kept, besides the original; 0: none, and no original. */
      versions: z.int().min(0).max(1000).default(10),
      /** Whether images keep the GPS position where they were taken. */
      keepLocation: z.boolean().default(false),
    })
    .prefault({}),
  /** Where blobs are stored: in the data folder, or in S3-compatible storage for several machines. */
  media: z
    .strictObject({
      /**
       * Sizes of thumbnails that visitors may request in addition to `fixedSizes`, as in their filenames: `640x`,
       * `640x480-crop`, `512x-crop`. A number is a width.
       */
      sizes: z
        .array(
          z
            .union([z.int().transform(String), z.string()], { error: sizeProblem })
            .refine(isSize, { error: sizeProblem }),
        )
        .max(50)
        .default([]),
      /** Maximum disk space for thumbnails, in bytes. The least recently used are removed. */
      thumbsMaxSize: z
        .int()
        .min(1024 ** 2)
        .max(1024 ** 5)
        .default(2 * 1024 ** 3),
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
  /** How long audit events are kept, in days. Where they came from is deleted after 90 days in any case. */
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
          text => parseFromAddress(text) !== undefined,
          'must be an address such as cms@example.org or Our site <cms@example.org>',
        )
        .optional(),
    })
    .refine(mail => mail.url === undefined || mail.from !== undefined, {
      path: ['from'],
      message: 'must be given when mail.url is',
    })
    .prefault({}),
  webhooks: z
    .strictObject({
      /** Hosts and networks that webhooks may be sent to although they are private, and by HTTP. */
      allow: z
        .array(
          z
            .string()
            .regex(
              /^(?:[a-z\d-]+(?:\.[a-z\d-]+)*|[\d.]+(?:\/\d+)?|[\da-f:.]+(?:\/\d+)?)$/i,
              'must be hosts or networks such as build.internal or 10.0.0.0/8',
            ),
        )
        .max(100)
        .default([]),
      /** Webhooks that the panel shows and cannot change. */
      list: z
        .array(
          z.strictObject({
            url: z
              .url({ protocol: /^https?$/, error: 'must be an address such as https://example.org/hook' })
              .max(2000),
            /** Of the form `whsec_…`; two while the receiver changes to a new one. */
            secret: z.union([webhookSecret, z.array(webhookSecret).min(1).max(2)]),
            events: z.array(z.string().min(1).max(100)).min(1).max(50),
            templates: z.array(z.string().min(1).max(200)).max(100).default([]),
            languages: z.array(z.string().min(1).max(100)).max(100).default([]),
            gather: z.int().min(0).max(3600).default(0),
          }),
        )
        .max(50)
        .default([]),
    })
    .prefault({}),
  /** `GET /metrics` answers with this token, and without one to programs on the same machine. */
  metrics: z
    .strictObject({
      token: z
        .string()
        .regex(/^[!-~]{20,1000}$/, 'must be at least 20 printable ASCII characters without spaces')
        .optional(),
    })
    .prefault({}),
  shutdown: z
    .strictObject({
      /**
       * How long SIGTERM is followed by ordinary service, in seconds: `/health/ready` is 503 meanwhile, so that a load
       * balancer can take the process out first. By default 5, and 0 in development.
       */
      drain: z.int().min(0).max(3600).optional(),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
      /** Access log: one line for every response. */
      requests: z.boolean().default(false),
    })
    .prefault({}),
  /** Code of the site, in this order. It is not sandboxed. */
  extensions: z
    .array(z.custom<ConfiguredExtension>(isExtension, { error: ({ input }) => describeEntry(input) }))
    .max(50)
    .default([]),
})

/** What a `quoin.config.ts` may contain. */
export type Settings = z.input<typeof schema>
export type CheckedSettings = z.output<typeof schema>

function isSize(text: string): boolean {
  const [, ...sides] = /^([1-9]\d*)(?:x(?:([1-9]\d*)?-crop)?)?$/.exec(text) ?? []
  return sides.length > 0 && sides.every(side => side === undefined || Number(side) <= maxSide)
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

function isWithoutCredentials(text: string): boolean {
  if (!URL.canParse(text)) return true // reported by the schema
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

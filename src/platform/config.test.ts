import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Config, ConfigError, type ConfigSource, loadConfig, type Settings } from './config.ts'
import { databaseUrls } from './lib/database-url.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function createFolder(file?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-config-'))
  folders.push(folder)
  if (file !== undefined) writeFileSync(join(folder, 'quoin.config.ts'), file)
  return folder
}

const site = createFolder()
const load = (source: Partial<ConfigSource> = {}) => loadConfig({ site, ...source })
const fromEnvironment = (environment: Record<string, string>) => load({ environment })

async function problemsOf(source: Partial<ConfigSource>): Promise<string[]> {
  const error = await load(source).then(
    () => undefined,
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(ConfigError)
  const { problems } = error as ConfigError
  for (const problem of problems) expect(problem).not.toContain('\n')
  expect((error as ConfigError).message).toBe(problems.join('\n'))
  return problems
}

test('without settings a site is served on this machine only', async () => {
  expect(await load()).toEqual({
    folder: site,
    site: {},
    data: join(site, 'data'),
    url: 'http://127.0.0.1:4080',
    base: '',
    secure: false,
    withoutExtensions: [],
    host: '127.0.0.1',
    port: 4080,
    trustedProxies: [],
    database: { connections: 10, timeout: 10, maxLifetime: 300 },
    shutdown: {},
    api: { basicAuth: false, allowInsecure: false, cors: [], anonymousPerMinute: 6000 },
    delivery: { sharedMaxAge: 60, tags: false, purge: {} },
    webhooks: { allow: [], list: [] },
    metrics: {},
    panel: { origins: [] },
    auth: {
      password: { minLength: 15 },
      session: {
        idle: 3600,
        absolute: 43_200,
        longIdle: 1_209_600,
        longAbsolute: 2_592_000,
        perUser: 25,
        perAdmin: 10,
      },
      throttle: true,
      argon2: { memory: 19_456, passes: 2 },
    },
    http: { readTimeout: 30, connectionsPerAddress: 256, hstsIncludeSubDomains: false },
    development: true,
    home: 'home',
    error: 'error',
    extensions: [],
    history: { keep: 100, days: 3650 },
    trash: { days: 30 },
    files: { maxSize: 20 * 1024 * 1024, maxPixels: 100_000_000, versions: 10, keepLocation: false },
    media: {
      sizes: ['128x', '256x', '512x', '768x', '1024x'],
      thumbsMaxSize: 2 * 1024 ** 3,
      s3: { region: 'auto' },
    },
    audit: { keepDays: 400 },
    secrets: { session: [], pepper: [], vault: [] },
    mail: {},
    log: { level: 'info', requests: false },
  })
})

test('options override the environment, which overrides the file', async () => {
  const folder = createFolder(`export default {
    port: 1111, host: '127.0.0.2', data: 'from-file',
    auth: { session: { idle: 60, absolute: 120 } }, api: { cors: ['https://file.example.org'] }
  }`)
  const environment = { QUOIN_PORT: '2222', QUOIN_AUTH_SESSION_IDLE: '61', QUOIN_DATA: 'from-environment', HOME: '/' }
  const config = await load({ site: folder, environment, options: { port: 3333, auth: { session: { longIdle: 62 } } } })
  expect(config).toMatchObject({
    port: 3333,
    host: '127.0.0.2',
    data: join(folder, 'from-environment'),
    auth: { session: { idle: 61, absolute: 120, longIdle: 62, longAbsolute: 2_592_000 } },
    api: { cors: ['https://file.example.org'] },
  })
})

test('an undefined option leaves the setting unchanged', async () => {
  const options = { port: undefined, host: undefined } as unknown as NonNullable<ConfigSource['options']>
  expect(await load({ environment: { QUOIN_PORT: '5000' }, options })).toMatchObject({ port: 5000, host: '127.0.0.1' })
})

/** For each setting: its variable, a text for it, and what the text means. */
const variables: [name: string, text: string, path: string, value: unknown][] = [
  ['QUOIN_URL', 'https://example.org/cms', 'url', 'https://example.org/cms'],
  ['QUOIN_HOST', '0.0.0.0', 'host', '0.0.0.0'],
  ['QUOIN_PORT', '0', 'port', 0],
  ['QUOIN_DATA', '/var/lib/quoin', 'data', '/var/lib/quoin'],
  ['QUOIN_TRUSTED_PROXIES', '10.0.0.0/8, ::1 ,,', 'trustedProxies', ['10.0.0.0/8', '::1']],
  ['QUOIN_DATABASE_URL', 'postgres://a@b/c', 'database.url', 'postgres://a@b/c'],
  ['QUOIN_DATABASE_CONNECTIONS', '7', 'database.connections', 7],
  ['QUOIN_DATABASE_TIMEOUT', '9', 'database.timeout', 9],
  ['QUOIN_HTTP_READ_TIMEOUT', '5', 'http.readTimeout', 5],
  ['QUOIN_HTTP_CONNECTIONS_PER_ADDRESS', '12', 'http.connectionsPerAddress', 12],
  ['QUOIN_HTTP_HSTS_INCLUDE_SUB_DOMAINS', 'true', 'http.hstsIncludeSubDomains', true],
  ['QUOIN_API_BASIC_AUTH', 'true', 'api.basicAuth', true],
  ['QUOIN_API_ALLOW_INSECURE', '1', 'api.allowInsecure', true],
  [
    'QUOIN_API_CORS',
    'https://a.example.org,https://b.example.org:8443',
    'api.cors',
    ['https://a.example.org', 'https://b.example.org:8443'],
  ],
  ['QUOIN_API_PUBLIC', 'true', 'api.public', true],
  ['QUOIN_API_ANONYMOUS_PER_MINUTE', '60', 'api.anonymousPerMinute', 60],
  ['QUOIN_DELIVERY_SHARED_MAX_AGE', '7', 'delivery.sharedMaxAge', 7],
  ['QUOIN_DELIVERY_TAGS', 'true', 'delivery.tags', true],
  ['QUOIN_DELIVERY_PURGE_KIND', 'fastly', 'delivery.purge.kind', 'fastly'],
  ['QUOIN_DELIVERY_PURGE_URL', 'http://10.0.0.7:6081/', 'delivery.purge.url', 'http://10.0.0.7:6081/'],
  ['QUOIN_DELIVERY_PURGE_TOKEN', 'secret', 'delivery.purge.token', 'secret'],
  ['QUOIN_SITE_URL', 'https://www.example.org/', 'site.url', 'https://www.example.org'],
  ['QUOIN_WEBHOOKS_ALLOW', 'build.internal,10.0.0.0/8', 'webhooks.allow', ['build.internal', '10.0.0.0/8']],
  ['QUOIN_PANEL_ORIGINS', 'https://panel.example.org', 'panel.origins', ['https://panel.example.org']],
  ['QUOIN_AUTH_PASSWORD_MIN_LENGTH', '8', 'auth.password.minLength', 8],
  ['QUOIN_AUTH_SESSION_IDLE', '10', 'auth.session.idle', 10],
  ['QUOIN_AUTH_SESSION_ABSOLUTE', '11', 'auth.session.absolute', 11],
  ['QUOIN_AUTH_SESSION_LONG_IDLE', '12', 'auth.session.longIdle', 12],
  ['QUOIN_AUTH_SESSION_LONG_ABSOLUTE', '34560000', 'auth.session.longAbsolute', 34_560_000],
  ['QUOIN_AUTH_SESSION_PER_USER', '3', 'auth.session.perUser', 3],
  ['QUOIN_AUTH_SESSION_PER_ADMIN', '4', 'auth.session.perAdmin', 4],
  ['QUOIN_AUTH_THROTTLE', 'false', 'auth.throttle', false],
  ['QUOIN_AUTH_ARGON2_MEMORY', '32768', 'auth.argon2.memory', 32_768],
  ['QUOIN_AUTH_ARGON2_PASSES', '3', 'auth.argon2.passes', 3],
  ['QUOIN_SECRETS_SESSION', 'a:b,c:d', 'secrets.session', ['a:b', 'c:d']],
  ['QUOIN_SECRETS_PEPPER', 'a:b', 'secrets.pepper', ['a:b']],
  ['QUOIN_SECRETS_VAULT', 'a:b', 'secrets.vault', ['a:b']],
  ['QUOIN_AUDIT_KEEP_DAYS', '30', 'audit.keepDays', 30],
  ['QUOIN_HOME', 'start', 'home', 'start'],
  ['QUOIN_ERROR', 'lost', 'error', 'lost'],
  ['QUOIN_HISTORY_KEEP', '7', 'history.keep', 7],
  ['QUOIN_HISTORY_DAYS', '8', 'history.days', 8],
  ['QUOIN_TRASH_DAYS', '7', 'trash.days', 7],
  ['QUOIN_FILES_MAX_SIZE', '4096', 'files.maxSize', 4096],
  ['QUOIN_FILES_MAX_PIXELS', '4096', 'files.maxPixels', 4096],
  ['QUOIN_FILES_VERSIONS', '3', 'files.versions', 3],
  ['QUOIN_FILES_KEEP_LOCATION', 'true', 'files.keepLocation', true],
  [
    'QUOIN_MEDIA_SIZES',
    '640x,64x48-crop,9x-crop,1600,256x',
    'media.sizes',
    ['128x', '256x', '512x', '768x', '1024x', '640x', '64x48-crop', '9x-crop', '1600x'],
  ],
  ['QUOIN_MEDIA_THUMBS_MAX_SIZE', '2000000', 'media.thumbsMaxSize', 2_000_000],
  ['QUOIN_MEDIA_S3_ENDPOINT', 'https://s3.example.org', 'media.s3.endpoint', 'https://s3.example.org'],
  ['QUOIN_MEDIA_S3_REGION', 'eu-central-1', 'media.s3.region', 'eu-central-1'],
  ['QUOIN_MEDIA_S3_BUCKET', 'our-site', 'media.s3.bucket', 'our-site'],
  ['QUOIN_MEDIA_S3_ACCESS_KEY', 'key', 'media.s3.accessKey', 'key'],
  ['QUOIN_MEDIA_S3_SECRET_KEY', 'secret', 'media.s3.secretKey', 'secret'],
  ['QUOIN_DEVELOPMENT', 'false', 'development', false],
  ['QUOIN_MAIL_URL', 'smtps://a:b@mail.example.org:465', 'mail.url', 'smtps://a:b@mail.example.org:465'],
  ['QUOIN_MAIL_FROM', 'Our site <cms@example.org>', 'mail.from', 'Our site <cms@example.org>'],
  ['QUOIN_DATABASE_MAX_LIFETIME', '60', 'database.maxLifetime', 60],
  ['QUOIN_DATABASE_PREPARED_STATEMENTS', 'false', 'database.preparedStatements', false],
  ['QUOIN_SHUTDOWN_DRAIN', '0', 'shutdown.drain', 0],
  ['QUOIN_LOG_LEVEL', 'warn', 'log.level', 'warn'],
  ['QUOIN_LOG_REQUESTS', 'true', 'log.requests', true],
]

const at = (config: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], config)

function leavesOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, path ? `${path}.${key}` : key))
}

const bucket = { endpoint: 'https://s3.example.org', bucket: 'our-site', accessKey: 'key', secretKey: 'secret' }

const purge = { kind: 'fastly', url: 'http://10.0.0.7:6081/', token: 'secret' } as const

/** What else has to be given with a variable. */
function optionsFor(name: string): Settings {
  if (name.startsWith('QUOIN_MEDIA_S3_')) return { media: { s3: bucket } }

  if (name.startsWith('QUOIN_DELIVERY_PURGE_')) return { delivery: { purge } }
  return { QUOIN_HOST: { url: 'http://localhost' }, QUOIN_MAIL_URL: { mail: { from: 'a@b.c' } } }[name] ?? {}
}

test.each(variables)('%s=%s sets %s', async (name, text, path, value) => {
  const config = await load({
    environment: { [name]: text },
    options: optionsFor(name),
  })
  expect(at(config, path)).toEqual(value)
})

test('a database URL may name several hosts, but no standby', async () => {
  expect(databaseUrls('postgres://u:p@a:1,b/c?sslmode=require&target_session_attrs=read-write')).toEqual([
    'postgres://u:p@a:1/c?sslmode=require',
    'postgres://u:p@b/c?sslmode=require',
  ])
  expect(databaseUrls('postgres://a,b/c?target_session_attrs=primary&sslmode=require')).toEqual([
    'postgres://a/c?sslmode=require',
    'postgres://b/c?sslmode=require',
  ])
  expect(databaseUrls('postgres://u@%2Frun%2Fpg:5432/c')).toEqual(['postgres://u@%2Frun%2Fpg:5432/c'])
  const standby = { QUOIN_DATABASE_URL: 'postgres://a,b/c?target_session_attrs=standby' }
  await expect(load({ environment: standby })).rejects.toThrow('must not ask for a standby')
})

test('no part of the password in a database URL is taken for a host', async () => {
  expect(databaseUrls('postgres://u:p@a,b@host/db')).toEqual(['postgres://u:p@a,b@host/db'])
  expect(databaseUrls('postgres://u:p,q@host/db')).toEqual(['postgres://u:p,q@host/db'])
  expect(databaseUrls('postgres://u:p@a,b@one,two:1/db')).toEqual([
    'postgres://u:p@a,b@one/db',
    'postgres://u:p@a,b@two:1/db',
  ])
  expect(databaseUrls('postgres://u@a,[::1]:5/db?options=-c%20a%3Db')).toHaveLength(2)
  for (const character of ['/', '?', '#']) {
    const environment = { QUOIN_DATABASE_URL: `postgres://u:1,secret${character}x@one,two/db` }
    const problems = await problemsOf({ environment })
    expect(problems.join()).toContain('instead of')
    expect(problems.join()).not.toContain('secret')
  }
})

test('every setting has a variable', async () => {
  const derived = new Set(['folder', 'base', 'secure', 'withoutExtensions'])
  const onlyInFile = new Set(['extensions', 'webhooks.list'])
  const options = {
    database: { url: 'postgres://a@b/c', preparedStatements: true },
    shutdown: { drain: 1 },
    mail: { url: 'smtp://a', from: 'a@b.c' },
    media: { s3: bucket },
    delivery: { purge },
    site: { url: 'https://www.example.org' },
    api: { public: true },
  }
  const settings = leavesOf(await load({ options }))
  expect(variables.map(([, , path]) => path).toSorted()).toEqual(
    settings.filter(path => !derived.has(path) && !onlyInFile.has(path)).toSorted(),
  )
})

test('sizes of images are whole numbers of at most 4096 pixels, and are added to those of every site', async () => {
  const wrong = [9999, 4097, 0, -1, 640.5, '4097x', '640x4097-crop', '640x480', '0x', '640.5x', '', '1e3x'] as string[]
  expect(await problemsOf({ options: { media: { sizes: wrong } } })).toEqual(
    wrong.map(() => 'media.sizes: must be sizes such as 640x or 640x480-crop, of at most 4096 pixels'),
  )
  const { media } = await load({ options: { media: { sizes: [4096, '4096x4096-crop', '128x'] } } })
  expect(media.sizes).toEqual(['128x', '256x', '512x', '768x', '1024x', '4096x', '4096x4096-crop'])
})

test('a bucket needs all its settings', async () => {
  const problems = await problemsOf({ options: { media: { s3: { bucket: 'our-site', accessKey: 'key' } } } })
  expect(problems).toEqual([
    'media.s3.endpoint: must be given when the others of media.s3 are',
    'media.s3.secretKey: must be given when the others of media.s3 are',
  ])
  const wrong = { endpoint: 'ftp://s3.example.org', bucket: '../x' }
  expect(await problemsOf({ options: { media: { s3: { ...bucket, ...wrong } } } })).toEqual([
    'media.s3.endpoint: must be an address such as https://s3.example.org',
    'media.s3.bucket: must be the name of a bucket',
  ])
})

test('purging needs its kind and its address, without a password', async () => {
  expect(await problemsOf({ options: { delivery: { purge: { token: 'x' } } } })).toEqual([
    'delivery.purge.kind: must be given when the others of delivery.purge are',
    'delivery.purge.url: must be given when the others of delivery.purge are',
  ])
  const url = 'https://user:secret@cache.example.org/'
  expect(await problemsOf({ options: { delivery: { purge: { kind: 'url', url } } } })).toEqual([
    'delivery.purge.url: must have no user and password: use delivery.purge.token',
  ])
})

test('all errors are reported at once, one line each, by the given name', async () => {
  const folder = createFolder(`export default {
    hots: 'x', auth: { session: { idel: 1, idle: 'long' }, password: { minLength: 7 } }, log: 'loud', trustedProxies: 'all'
  }`)
  const problems = await problemsOf({
    site: folder,
    environment: {
      QUOIN_PORT: '65536',
      QUOIN_API_BASIC_AUTH: 'yes',
      QUOIN_DATABASE_URL: 'mysql://localhost',
      QUOIN_DATABASE_TIMEOUT: '0',
      QUOIN_API_CORS: 'https://example.org/',
      QUOIN_PROT: '1',
      QUOIN_AUTH: '{}',
      QUOIN_HOST: '',
    },
  })
  expect(problems.toSorted()).toEqual(
    [
      'QUOIN_PROT: there is no such setting',
      'QUOIN_AUTH: there is no such setting',
      'hots: there is no such setting',
      'auth.session.idel: there is no such setting',
      'auth.session.idle: must be a whole number',
      'auth.password.minLength: must be at least 8',
      'log: must be a group of settings',
      'trustedProxies: must be a list',
      'QUOIN_PORT: must be at most 65535',
      'QUOIN_API_BASIC_AUTH: must be true or false',
      'QUOIN_DATABASE_URL: must start with postgres://',
      'QUOIN_DATABASE_TIMEOUT: must be at least 1',
      'QUOIN_API_CORS: must be an origin such as https://panel.example.org',
      'QUOIN_HOST: must not be empty',
    ].toSorted(),
  )
})

test.each([
  ['QUOIN_PORT', '80.5'],
  ['QUOIN_PORT', '-1'],
  ['QUOIN_PORT', '0x50'],
  ['QUOIN_PORT', ' 80'],
  ['QUOIN_PORT', ''],
  ['QUOIN_PORT', '1e3'],
  ['QUOIN_AUTH_THROTTLE', 'False'],
  ['QUOIN_AUTH_THROTTLE', ''],
  ['QUOIN_AUTH_SESSION_IDLE', '34560001'],
  ['QUOIN_AUTH_ARGON2_MEMORY', '19455'],
  ['QUOIN_AUTH_ARGON2_MEMORY', '262145'],
  ['QUOIN_LOG_LEVEL', 'loud'],
  ['QUOIN_TRUSTED_PROXIES', '10.0.0.0/33'],
  ['QUOIN_TRUSTED_PROXIES', 'example.org'],
  ['QUOIN_PANEL_ORIGINS', 'panel.example.org'],
  ['QUOIN_URL', 'example.org'],
])('%s=%j is refused', async (name, text) => {
  const problems = await problemsOf({ environment: { [name]: text } })
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(new RegExp(`^${name}: must `))
})

test('other variables, and those of the tests, are ignored', async () => {
  await expect(
    fromEnvironment({ PORT: 'x', quoin_port: 'x', QUOIN_TEST_POSTGRES: 'x', XQUOIN_A: '' }),
  ).resolves.toBeDefined()
})

test('the configuration is frozen', async () => {
  const config = await load({ options: { api: { cors: ['https://a.example.org'] } } })
  const frozen = (value: unknown): boolean =>
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen))
  expect(frozen(config)).toBe(true)
  expect(() => (config as { port: number }).port++).toThrow(TypeError)
  expect(() => (config.auth.session as { idle: number }).idle++).toThrow(TypeError)
  expect(() => config.api.cors.push('https://b.example.org')).toThrow(TypeError)
})

// ---- the public address

const withUrl = (url: string, more: ConfigSource['options'] = {}): Promise<Config> =>
  load({ options: { ...more, url } })

test.each([
  ['https://example.org', { url: 'https://example.org', base: '', secure: true }],
  ['https://example.org/', { url: 'https://example.org', base: '', secure: true }],
  ['https://example.org:8443/cms/', { url: 'https://example.org:8443/cms', base: '/cms', secure: true }],
  ['https://example.org/a/b', { url: 'https://example.org/a/b', base: '/a/b', secure: true }],
  ['HTTPS://Example.org:443/%2e/CMS', { url: 'https://example.org/CMS', base: '/CMS', secure: true }],
  ['http://localhost:4080', { url: 'http://localhost:4080', base: '', secure: false }],
  ['http://127.0.0.1', { base: '', secure: false }],
  ['http://127.1.2.3:80/cms', { base: '/cms', secure: false }],
  ['http://[::1]:4080', { base: '', secure: false }],
])('the URL %s is valid', async (url, expected) => {
  expect(await withUrl(url)).toMatchObject(expected)
})

test.each([
  'ftp://example.org',
  'javascript:alert(1)',
  'https://example.org?x',
  'https://example.org#x',
  'https://user:secret@example.org',
  'https://example.org/a b',
  'https://example.org/a//b',
  'https://',
  '',
])('the URL %j is invalid', async url => {
  expect(await problemsOf({ options: { url } })).toEqual([
    'url: must be an address such as https://example.org or https://example.org/cms',
  ])
})

test.each(['http://example.org', 'http://192.168.1.4', 'http://localhost.example.org', 'http://127.0.0.1.example.org'])(
  '%s sends passwords in plain text and is refused unless allowed',
  async url => {
    const [problem, ...others] = await problemsOf({ options: { url } })
    expect(problem).toMatch(/^url: http:.* is not HTTPS/)
    expect(others).toEqual([])
    expect(await withUrl(url, { api: { allowInsecure: true } })).toMatchObject({ url, secure: false })
  },
)

test('the default URL is that of the listening address', async () => {
  expect((await load({ options: { port: 81 } })).url).toBe('http://127.0.0.1:81')
  expect((await load({ options: { host: '::1', port: 81 } })).url).toBe('http://[::1]:81')
  expect((await load({ options: { host: '0.0.0.0' } })).url).toBe('http://localhost:4080')
  expect((await load({ options: { host: '::' } })).url).toBe('http://localhost:4080')
  expect(await problemsOf({ options: { host: '192.0.2.1' } })).toHaveLength(1)
  for (const host of ['a b', 'http://localhost', '127.0.0.1:80:90', 'a/b?c'])
    expect(await problemsOf({ options: { host } })).toHaveLength(1)
})

// ---- mail

const withMail = (mail: object) => problemsOf({ options: { mail } })

test.each(['smtp://mail.example.org', 'smtps://a%40b:p%3A%2Fss@mail.example.org:465/', 'smtp://[::1]:25'])(
  'mail can be sent through %s',
  async url => {
    const mail = { url, from: 'Our site <cms@example.org>' }
    expect((await load({ options: { mail } })).mail).toEqual(mail)
  },
)

test.each([
  'mail.example.org',
  'https://mail.example.org',
  'smtp:mail.example.org',
  'smtp://',
  'smtp://mail.example.org/x',
  'smtp://mail.example.org?pool=true',
  'smtp://mail.example.org#x',
  'smtp://a:50%@mail.example.org',
  'smtp://a:%ff@mail.example.org',
  'smtp://mail example.org',
])('mail cannot be sent through %s', async url => {
  expect(await withMail({ url, from: 'cms@example.org' })).toEqual([
    'mail.url: must be an address such as smtp://user:password@mail.example.org:587',
  ])
})

test('mail needs a sender', async () => {
  expect(await withMail({ url: 'smtp://localhost' })).toEqual(['mail.from: must be given when mail.url is'])
  expect(await withMail({ url: 'smtp://localhost', from: 'Our site' })).toEqual([
    'mail.from: must be an address such as cms@example.org or Our site <cms@example.org>',
  ])
})

// ---- the file

test.each([
  ['a file that does not parse', 'export default {', /^quoin\.config\.ts(:\d+)?: /],
  ['a file that throws', "throw new Error('not today')", /^quoin\.config\.ts:1: not today$/],
  [
    'a file that imports what is not there',
    "import x from './nowhere.ts'\nexport default x",
    /^quoin\.config\.ts: Cannot find module/,
  ],
  ['a file that exports nothing', 'export const settings = {}', /^quoin\.config\.ts: export the settings/],
  ['a file that exports no object', 'export default 5', /^quoin\.config\.ts: export the settings/],
])('%s is one readable line', async (_, text, expected) => {
  const problems = await problemsOf({ site: createFolder(text) })
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(expected)
})

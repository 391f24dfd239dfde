import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { InjectOptions, LightMyRequestResponse as Answer } from 'fastify'
import pg from 'pg'
import { pino } from 'pino'
import { inject } from 'vitest'
import { type Client, createClientFor } from '../client/client.ts'
import type { Routes } from '../client/routes.ts'
import { api } from '../src/api.ts'
import { type App, openApp } from '../src/app.ts'
import { type Config, loadConfig, type Settings } from '../src/platform/config.ts'
import { setTotp } from '../src/access/factors/totp.ts'
import { createRecoveryCodes } from '../src/access/factors/recovery.ts'
import type { Api } from '../src/http/endpoint.ts'
import { hashArgon2 } from '../src/platform/lib/argon2.ts'
import { createTotpSecret, stepSeconds } from '../src/platform/lib/totp.ts'
import { release } from '../src/platform/release.ts'
import { createServer } from '../src/server.ts'
import { migrate } from '../src/platform/store/migrate.ts'
import type { UserStatus } from '../src/platform/store/tables/accounts.ts'
import { openSqlite } from '../src/platform/store/sqlite.ts'
import { routesOf } from '../tools/generate.ts'
import { watchErrorKeys } from './error-keys.ts'
import { operatorContext } from '../src/cli/site.ts'

/** The database engine of this run: the whole run is repeated per engine, tests do not loop over engines. */
export const engine = process.env['STORE'] === 'postgres' ? 'postgres' : 'sqlite'

export const password = 'seven quiet herons over water'

/** Cheap hashing parameters, to keep tests fast. */
const cheap = { memory: 64, passes: 1 }

// ---- stores

/** The database and data folder of one site, on the engine of this run. Removed after the test file. */
export interface TestStorage {
  settings: Settings
  data: string
  /** Advances the clock of the database, for every app on this storage. */
  moveClock(milliseconds: number): Promise<void>
  /** From now on only `moveClock` advances the clock: nothing expires or is refilled because the machine is slow. */
  stopClock(): Promise<void>
  clock: () => number
}

const removals: (() => Promise<void>)[] = []

/** Called after every test file by `test/cleanup.ts`: closes and removes everything that was created. */
export async function cleanUp(): Promise<void> {
  for (const remove of removals.splice(0)) await remove()
}

/** The last one is called first: an app is closed before its storage is removed. */
export function beforeCleanUp(remove: () => Promise<void>): void {
  removals.unshift(remove)
}

/** Besides `admin` there is one role, with access to the panel and its own account and no other permission. */
const editor = `title: Editor
permissions:
  '*': false
  access:
    panel: true
    account: true
`

/** Writes blueprints, by path. Call it before an app is opened there. */
export function writeBlueprints(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, 'blueprints', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

/** A database with all tables, copied from one that was migrated once; `migrated: false` gives an empty one. */
export async function createTestStorage({ migrated = true } = {}): Promise<TestStorage> {
  const data = mkdtempSync(join(tmpdir(), 'quoin-test-'))
  writeBlueprints(data, { 'users/editor.yml': editor })
  let offset = 0
  let stoppedAt: number | undefined
  const clock = () => (stoppedAt ?? Date.now()) + offset
  const stop = () => void (stoppedAt ??= Date.now())
  const removeFolder = async () => rmSync(data, { recursive: true, force: true })
  if (engine === 'sqlite') {
    beforeCleanUp(removeFolder)
    if (migrated) {
      migratedBytes ??= migratedFile()
      writeFileSync(join(data, 'quoin.db'), await migratedBytes, { mode: 0o600 })
    }
    return {
      settings: { data },
      data,
      clock,
      moveClock: async milliseconds => {
        offset += milliseconds
      },
      stopClock: async () => stop(),
    }
  }
  const server = inject('postgres')
  const name = `test_${randomBytes(6).toString('hex')}`
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  const template = migrated ? inject('templateDatabase') : 'template1'
  await query(server, `create database ${name} template ${template} strategy file_copy`)
  beforeCleanUp(removeFolder)
  beforeCleanUp(() => query(server, `drop database ${name} with (force)`).then(() => {}))
  const setClock = () =>
    query(
      url,
      `create or replace function quoin_now() returns bigint language sql volatile
       as 'select ${stoppedAt ?? '(extract(epoch from clock_timestamp()) * 1000)'}::bigint + ${offset}'`,
    )
  return {
    settings: { data, database: { url } },
    data,
    clock,
    moveClock: async milliseconds => {
      offset += milliseconds
      await setClock()
    },
    stopClock: async () => {
      stop()
      await setClock()
    },
  }
}

let migratedBytes: Promise<Buffer> | undefined

/** A migrated SQLite file, created once per worker. */
async function migratedFile(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-test-'))
  try {
    const path = join(folder, 'quoin.db')
    const store = openSqlite({ path })
    await migrate(store, release)
    await store.close()
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function query(url: string, text: string) {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end()
  }
}

// ---- apps

export interface TestApp {
  app: App
  storage: TestStorage
  /** The log, one object per line. */
  logged: Record<string, unknown>[]
  /** Sends a request to the server without a socket. */
  request(options: InjectOptions): Promise<Answer>
  /** A client with cookies of its own. */
  browser(options?: BrowserOptions): Browser
  /** Listens on a real port, for tests of the connection itself and of the panel, and returns the port. */
  listen(port?: number): Promise<number>
  close(): Promise<void>
}

export interface AppSetup {
  settings?: Settings
  /** Shares the database of another app, as a second instance. */
  storage?: TestStorage
  /** Endpoints of the test instead of those of `src/api.ts`. */
  api?: Api
  /** Hashes passwords with the parameters of production. */
  expensive?: boolean
  /** Logs as in production, without a line for every response. The response cache is used only then. */
  quiet?: boolean
}

export async function createTestApp({
  settings = {},
  storage: sharedStorage,
  api: tree,
  expensive = false,
  quiet = false,
}: AppSetup = {}): Promise<TestApp> {
  const storage = sharedStorage ?? (await createTestStorage())
  const config = await testConfig(storage, settings, expensive)
  const logged: Record<string, unknown>[] = []
  const log = pino(
    { level: quiet ? 'info' : 'debug', base: null },
    { write: line => void logged.push(JSON.parse(line) as Record<string, unknown>) },
  )
  const app = await openApp(config, { log, ...(engine === 'sqlite' && { clock: storage.clock }) })
  let created: ReturnType<typeof createServer> | undefined
  /** Created for the first request: its routes take longest to create, and many tests use the app only. */
  const server = () => {
    if (created) return created
    created = createServer(app, tree)
    if (tree === undefined) watchErrorKeys(created)
    return created
  }
  let closed = false
  const close = async () => {
    if (closed) return
    closed = true
    await created?.close()
    await app.close()
  }
  beforeCleanUp(() => {
    const closing = close()
    // Otherwise closing would wait for connections that a browser has opened in advance, until the header timeout.
    created?.server.closeAllConnections()
    return closing
  })
  return {
    app,
    storage,
    logged,
    request: options => server().inject(options),
    browser: options => createBrowser(sent => server().inject(sent), config, tree ?? api, options),
    listen: async (port = 0) => Number(new URL(await server().listen({ host: '127.0.0.1', port })).port),
    close,
  }
}

async function testConfig(storage: TestStorage, settings: Settings, expensive: boolean): Promise<Config> {
  const config = await loadConfig({
    site: storage.data,
    options: {
      ...storage.settings,
      ...settings,
      ...(settings.database && { database: { ...storage.settings.database, ...settings.database } }),
    },
  })
  return expensive ? config : { ...config, auth: { ...config.auth, argon2: cheap } }
}

// ---- browsers

export interface BrowserOptions {
  ip?: string
  headers?: Record<string, string>
}

export interface Browser {
  /** The typed client. */
  client: Client
  cookies: Map<string, string>
  /** The last response, with its headers. */
  last: Answer
  send(options: InjectOptions): Promise<Answer>
}

function createBrowser(
  server: (options: InjectOptions) => Promise<Answer>,
  config: Config,
  tree: Api,
  { ip = '192.0.2.1', headers = {} }: BrowserOptions = {},
): Browser {
  const cookies = new Map<string, string>()
  const browser = {
    cookies,
    last: undefined as never as Answer,
    async send(options: InjectOptions) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const answer = await server({
        remoteAddress: ip,
        ...options,
        headers: { host: new URL(config.url).host, ...headers, ...(cookie && { cookie }), ...options.headers },
      })
      for (const { name, value, maxAge } of answer.cookies) {
        if (maxAge === 0) cookies.delete(name)
        else cookies.set(name, value)
      }
      browser.last = answer
      return answer
    },
  }
  const fetch = async (url: string, { method, headers: sent, body }: RequestInit) => {
    const answer = await browser.send({
      method: method as 'GET',
      url: url.replace(new URL(url).origin, ''),
      headers: sent as Record<string, string>,
      ...(body !== undefined && { payload: body as string }),
    })
    return new Response(answer.body, { status: answer.statusCode, headers: answer.headers as Record<string, string> })
  }
  let routes = routesOfTrees.get(tree)
  if (!routes) routesOfTrees.set(tree, (routes = Object.fromEntries(routesOf(tree))))
  let client: Client | undefined
  return Object.defineProperty(browser as Browser, 'client', {
    get: () => (client ??= createClientFor<Client>(routes, { url: config.url, fetch })),
  })
}

/** The routes of the typed client, by the endpoints that they are made from: some tests have hundreds of browsers. */
const routesOfTrees = new WeakMap<Api, Routes>()

// ---- accounts

export interface TestUser {
  email?: string
  password?: string
  role?: string
  status?: UserStatus
  /** Null: an account without a password. */
  hash?: string | null
  totp?: boolean
  mustChangePassword?: boolean
}

let count = 0

/**
 * Inserts the account directly into the database, so that it can have any state, even one that no operation leads to.
 */
export async function addUser({ app }: TestApp, options: TestUser = {}) {
  const id = `user${++count}${randomBytes(3).toString('hex')}`
  const email = options.email ?? `${id}@example.org`
  const hash =
    options.hash === undefined
      ? await hashArgon2(
          options.password ?? password,
          { ...app.config.auth.argon2, parallelism: 1 },
          app.secrets.keys.pepper[0],
        )
      : options.hash
  await app.store.db
    .insertInto('users')
    .values({
      id,
      email,
      email_key: email.toLowerCase(),
      name: '',
      role: options.role ?? 'admin',
      language: 'en',
      sort_key: email,
      status: options.status ?? 'active',
      password_hash: hash,
      bcrypt_cost: hash?.startsWith('$2') ? Number(hash.slice(4, 6)) : null,
      password_set_at: 0,
      password_disabled_at: null,
      must_change_password: options.mustChangePassword ? 1 : 0,
      totp_secret: null,
      created_at: 0,
      modified_at: 0,
    })
    .execute()
  const secret = options.totp ? await createTotpSecret() : ''
  const recovery = options.totp
    ? await app.store.write(async tx => {
        await setTotp(operatorContext(app), tx, id, secret)
        return createRecoveryCodes(app, tx, id)
      })
    : []
  return { id, email, secret, recovery }
}

/** The TOTP code at the time of the database clock, shifted by `steps`. */
export async function totpCode(storage: TestStorage, secret: string, steps = 0): Promise<string> {
  const { TOTP, Secret } = await import('otpauth')
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  return totp.generate({ timestamp: storage.clock() + steps * stepSeconds * 1000 })
}

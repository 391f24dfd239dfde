/** Helpers for tests of sign-in: raw requests, stored rows, statements and hashes. */
import type { InjectOptions, LightMyRequestResponse as Answer } from 'fastify'
import { type KyselyPlugin, sql } from 'kysely'
import type { ConcurrencyLimiter } from '../src/platform/lib/concurrency-limiter.ts'
import type { Store } from '../src/platform/store/store.ts'
import type { App } from '../src/app.ts'
import type { Browser, TestApp } from './harness.ts'

export const sessionCookie = 'quoin_insecure'
export const deviceCookie = 'quoin_insecure_dev'

let addresses = 0

/** An IP address in a network of its own, so that tests do not share throttles. */
export function newIp(): string {
  addresses++
  return `10.${addresses >> 8}.${addresses & 255}.7`
}

/** Sends a login and returns the raw response, instead of a value or an exception. */
export function postLogin(browser: Browser, body: unknown, options: InjectOptions = {}): Promise<Answer> {
  return browser.send({
    method: 'POST',
    url: '/api/auth/login',
    payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    ...options,
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...options.headers },
  })
}

export function postLogout(browser: Browser, options: InjectOptions = {}): Promise<Answer> {
  return browser.send({
    method: 'POST',
    url: '/api/auth/logout',
    ...options,
    headers: { 'sec-fetch-site': 'same-origin', ...options.headers },
  })
}

/** `GET /api/auth` with only the given cookie. */
export function getWith(site: TestApp, token: string, name = sessionCookie): Promise<Answer> {
  return site.browser({ ip: newIp() }).send({ url: '/api/auth', headers: { cookie: `${name}=${token}` } })
}

/** The status, key and details of an error response. */
export function refusal(answer: Answer): { status: number; key: string; details: Record<string, unknown> } {
  const { key, details } = answer.json<{ key: string; details: Record<string, unknown> }>()
  return { status: answer.statusCode, key, details }
}

// ---- stored rows

const tables = ['users', 'sessions', 'challenges', 'devices', 'recovery_codes', 'throttle', 'audit_events'] as const

/** All rows of the tables that sign-in writes. */
export async function everythingIn({ app }: TestApp): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {}
  for (const table of tables) {
    const rows = await app.store.db.selectFrom(table).selectAll().execute()
    found[table] = rows.map(row => JSON.stringify(row)).toSorted()
  }
  return found
}

export function eventsOf({ app }: TestApp, event?: string) {
  return app.store.db
    .selectFrom('audit_events')
    .selectAll()
    .$if(event !== undefined, query => query.where('event', '=', event!))
    .orderBy('id')
    .execute()
}

export function userRow({ app }: TestApp, id: string) {
  return app.store.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

export async function sessionsOf({ app }: TestApp, userId: string) {
  return app.store.db.selectFrom('sessions').selectAll().where('user_id', '=', userId).execute()
}

// ---- observed work

/** Replaces properties of an object while the work runs. `make` gets the original object. */
export async function replacing<Target extends object, Value>(
  target: Target,
  make: (original: Target) => Partial<Target>,
  work: () => Promise<Value>,
): Promise<Value> {
  const parts = make({ ...target })
  const before = Object.fromEntries(Object.keys(parts).map(key => [key, target[key as keyof Target]]))
  Object.assign(target, parts)
  try {
    return await work()
  } finally {
    Object.assign(target, before)
  }
}

/** Counts password hashes while the work runs. */
export async function countHashes({ app }: TestApp, work: () => Promise<unknown>): Promise<number> {
  let count = 0
  const counting = (original: ConcurrencyLimiter): Partial<ConcurrencyLimiter> => ({
    run(client, hash) {
      count++
      return original.run(client, hash)
    },
  })
  await replacing(app.hashing, counting, work)
  return count
}

/**
 * The SQL texts that the work sends to the store, in order. On PostgreSQL other test files commit to the same server, which
 * ends what is cached by the version of the data. So nothing is cached before the work, unless it is `warm`.
 */
export async function statementsOf(
  { app }: TestApp,
  work: () => Promise<unknown>,
  { warm = false }: { warm?: boolean } = {},
): Promise<string[]> {
  const { db } = app.store
  if (!warm) await endCached(app)
  const statements: string[] = []
  const logging: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      statements.push(db.getExecutor().compileQuery(node, queryId).sql)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const logged = (original: Store): Partial<Store> => ({
    db: db.withPlugin(logging),
    read(query) {
      statements.push(query.sql)
      return original.read(query)
    },
    async write(action) {
      statements.push('begin')
      const value = await original.write(tx => action(tx.withPlugin(logging)))
      statements.push('commit')
      return value
    },
  })
  await replacing(app.store, logged, work)
  return statements
}

/** How often the work reads the store, with nothing cached by the version of the data. */
export async function readsOf({ app }: TestApp, work: () => Promise<unknown>): Promise<number> {
  await endCached(app)
  let count = 0
  const counted = (original: Store): Partial<Store> => ({
    read(query) {
      count++
      return original.read(query)
    },
  })
  await replacing(app.store, counted, work)
  return count
}

/** An empty commit. */
async function endCached({ store: { db, name } }: App): Promise<void> {
  if (name === 'postgres') await sql`select pg_current_xact_id()`.execute(db)
}

/** The database is unavailable while the work runs. With `late`, statements succeed and the commit fails. */
export function withoutStore<Value>(
  { app }: TestApp,
  work: () => Promise<Value>,
  { late = false }: { late?: boolean } = {},
): Promise<Value> {
  const outage = new Error('the store is away')
  const broken = (original: Store): Partial<Store> => ({
    isOutage: error => error === outage,
    write: action =>
      original.write(async tx => {
        if (late) await action(tx)
        throw outage
      }),
  })
  return replacing(app.store, broken, work)
}

/** Polls until the background work of the app has the expected result; after a minute it returns what there is. */
export async function eventually<Value>(
  read: () => Value | Promise<Value>,
  matches: (value: Value) => boolean,
): Promise<Value> {
  for (let tries = 0; ; tries++) {
    const value = await read()
    if (matches(value) || tries === 6000) return value
    await new Promise(done => setTimeout(done, 10))
  }
}

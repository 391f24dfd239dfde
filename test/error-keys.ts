/** Checks that the reference lists every error key that an operation has answered with in any test. */
import { appendFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import { api } from '../src/api.ts'
import { type AnyEndpoint, listEndpoints } from '../src/http/endpoint.ts'
import { errors } from '../src/platform/errors.ts'
import { errorKeysOf } from '../src/http/reference/error-keys.ts'

const names = new Map([...listEndpoints(api)].map(([name, endpoint]) => [endpoint, name]))
/** With this variable keys are written to a file, one per line, instead of being checked; `npm run record` sets it. */
const target = process.env['QUOIN_RECORD_KEYS']
const unlisted = new Set<string>()
const seen = new Set<string>()

/** Watches the answers of a server. */
export function watchErrorKeys(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    const { endpoint } = request.routeOptions.config as { endpoint?: AnyEndpoint }
    const name = endpoint && names.get(endpoint)
    if (reply.statusCode >= 400 && name !== undefined && typeof payload === 'string') note(name, endpoint!, payload)
    done(null, payload)
  })
}

function note(name: string, endpoint: AnyEndpoint, payload: string): void {
  const [, key] = /"key":"error\.([\w.]+)"/.exec(payload) ?? []
  // Errors of extensions are in the documents of their sites.
  if (key === undefined || !(key in errors) || seen.has(`${name} ${key}`)) return
  seen.add(`${name} ${key}`)
  if (target !== undefined) appendFileSync(target, `${name} ${key}\n`)
  else if (!errorKeysOf(name, endpoint).includes(key)) unlisted.add(`${name} error.${key}`)
}

/** The daily run on SQLite checks; the list is recorded there, and other runs have outages and loads of their own. */
const isChecked = process.env['STORE'] === 'sqlite' && process.env['QUOIN_TEST_SLOW'] !== 'true'

/** Called after every test file. */
export function errorKeysMustBeListed(): void {
  const found = [...unlisted]
  unlisted.clear()
  if (isChecked && found.length > 0 && !expect.getState().testPath?.includes('/panel/'))
    throw new Error(`Errors that src/http/reference/error-keys.json does not list: ${found.join(', ')}`)
}

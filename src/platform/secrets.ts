import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, openSync, fsyncSync, closeSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, type Config } from './config.ts'

/**
 * Three key rings. The first key of each is used for new values; the others still verify or decrypt old ones.
 * `session`: sessions, CSRF tokens, challenges, throttle: all short-lived, so it may be rotated at any time.
 * `pepper`: part of every password hash. `vault`: TOTP secrets, recovery codes, API tokens, devices, mails.
 */
export type Ring = 'session' | 'pepper' | 'vault'

export interface Key {
  id: string
  bytes: Buffer
}

export interface Secrets {
  keys: Readonly<Record<Ring, readonly Key[]>>
  /** The keyed hash of a value under the newest key. The purpose separates equal values of different kinds. */
  mac(ring: Ring, purpose: string, value: string): string
  /** The same under every key of the ring, newest first, to look up a stored value. */
  macs(ring: Ring, purpose: string, value: string): string[]
  /** A key for one purpose, derived from the named key of the ring. */
  derived(ring: Ring, purpose: string, id: string): Buffer | undefined
}

const rings: Ring[] = ['session', 'pepper', 'vault']

export function openSecrets(config: Config): Secrets {
  const configured = rings.filter(ring => config.secrets[ring].length > 0)
  if (configured.length > 0 && configured.length < rings.length) {
    throw new ConfigError(
      rings
        .filter(ring => !configured.includes(ring))
        .map(ring => `secrets.${ring}: must be given when another one is`),
    )
  }
  return createSecrets(configured.length > 0 ? config.secrets : readOrCreate(config.data))
}

function createSecrets(texts: Record<Ring, readonly string[]>): Secrets {
  const keys = { session: [], pepper: [], vault: [] } as Record<Ring, Key[]>
  for (const ring of rings) keys[ring] = texts[ring].map(text => parseKey(ring, text))
  const cache = new Map<string, KeyObject[]>()

  function keysFor(ring: Ring, purpose: string) {
    const name = `${ring}:${purpose}`
    let found = cache.get(name)
    if (!found) {
      // As key objects: `createHmac` prepares a buffer anew at every call, which takes five times as long.
      found = keys[ring].map(key => createSecretKey(derive(key, purpose)))
      cache.set(name, found)
    }
    return found
  }
  return {
    keys,
    mac: (ring, purpose, value) => macOf(keysFor(ring, purpose)[0]!, value),
    macs: (ring, purpose, value) => keysFor(ring, purpose).map(key => macOf(key, value)),
    derived(ring, purpose, id) {
      const key = keys[ring].find(candidate => candidate.id === id)
      return key && derive(key, purpose)
    },
  }
}

const macOf = (key: KeyObject, value: string) => createHmac('sha256', key).update(value).digest('base64url')

const derive = (key: Key, purpose: string) => Buffer.from(hkdfSync('sha256', key.bytes, 'quoin', purpose, 32))

/** `<id>:<43 characters of base64url>` */
function parseKey(ring: Ring, text: string): Key {
  const [, id, value] = /^([\w-]{1,32}):([\w-]{43})$/.exec(text) ?? []
  if (!id || !value) throw new ConfigError([`secrets.${ring}: each must be <name>:<43 characters of base64url>`])
  return { id, bytes: Buffer.from(value, 'base64url') }
}

const newKey = () => `${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64url')}`

/** Two processes may start at once: the file appears complete, by a hard link that fails if it exists already. */
function readOrCreate(data: string): Record<Ring, string[]> {
  const path = join(data, 'secrets.json')
  const existing = readFile(path)
  if (existing) return existing
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    writeNewSecrets(temporary)
    linkSync(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(temporary, { force: true })
  }
  return readFile(path)!
}

function writeNewSecrets(path: string): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    const created = Object.fromEntries(rings.map(ring => [ring, [newKey()]]))
    writeFileSync(file, `${JSON.stringify(created, undefined, 2)}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function readFile(path: string): Record<Ring, string[]> | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const parsed = JSON.parse(text) as Record<Ring, unknown>
    if (rings.every(ring => Array.isArray(parsed[ring]) && parsed[ring].length > 0)) {
      return parsed as Record<Ring, string[]>
    }
  } catch {
    // reported below
  }
  throw new ConfigError([`${path} cannot be read as secrets: restore it from a backup`])
}

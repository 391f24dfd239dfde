import * as crypto from 'node:crypto'
import { promisify } from 'node:util'
import { CryptoFailure } from './crypto-failure.ts'
import { randomBytes } from './random.ts'

export interface Cost {
  /** KiB */
  memory: number
  passes: number
  parallelism: number
}

/** A stored hash, read from its PHC string. `key` names the pepper that went into it. */
export interface Phc extends Cost {
  key: string | undefined
  salt: Buffer
  hash: Buffer
}

/** A stored hash with higher parameters is refused: computing it would exhaust the server. */
const maxCost: Cost = { memory: 256 * 1024, passes: 10, parallelism: 4 }

const phc =
  /^\$argon2id\$v=19\$m=(\d{1,9}),t=(\d{1,4}),p=(\d{1,3})(?:,keyid=([\w-]{1,32}))?\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

export function parsePhc(text: string): Phc | undefined {
  const [, memory, passes, parallelism, key, salt, hash] = phc.exec(text) ?? []
  if (!salt || !hash) return undefined
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const withinBounds =
    cost.memory >= 8 * cost.parallelism &&
    cost.memory <= maxCost.memory &&
    cost.passes >= 1 &&
    cost.passes <= maxCost.passes &&
    cost.parallelism >= 1 &&
    cost.parallelism <= maxCost.parallelism
  return withinBounds
    ? { ...cost, key, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') }
    : undefined
}

export function formatPhc({ memory, passes, parallelism, key, salt, hash }: Phc): string {
  const keyid = key === undefined ? '' : `,keyid=${key}`
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}${keyid}$${base64(salt)}$${base64(hash)}`
}

export async function hashArgon2(
  password: string,
  cost: Cost,
  pepper?: { id: string; bytes: Buffer },
): Promise<string> {
  const salt = randomBytes(16)
  const hash = await run(password, cost, salt, 32, pepper?.bytes)
  return formatPhc({ ...cost, key: pepper?.id, salt, hash })
}

export async function matchesArgon2(password: string, stored: Phc, pepper?: Buffer): Promise<boolean> {
  const hash = await run(password, stored, stored.salt, stored.hash.length, pepper)
  return crypto.timingSafeEqual(hash, stored.hash)
}

async function run(password: string, cost: Cost, salt: Buffer, length: number, pepper: Buffer | undefined) {
  try {
    return await promisify(crypto.argon2)('argon2id', {
      message: password,
      nonce: salt,
      memory: cost.memory,
      passes: cost.passes,
      parallelism: cost.parallelism,
      tagLength: length,
      ...(pepper && { secret: pepper }),
    })
  } catch (error) {
    throw new CryptoFailure('argon2', error)
  }
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

import * as crypto from 'node:crypto'
import { CryptoFailure } from './crypto-failure.ts'

/** Secrets are random or do not exist: a failure is never replaced by something weaker. */
export function randomBytes(length: number): Buffer {
  return orFail(() => crypto.randomBytes(length))
}

/** From 0 to below the limit. */
export function randomInt(limit: number): number {
  return orFail(() => crypto.randomInt(limit))
}

function orFail<Value>(draw: () => Value): Value {
  try {
    return draw()
  } catch (error) {
    throw new CryptoFailure('random', error)
  }
}

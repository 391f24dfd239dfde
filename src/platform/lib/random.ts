import * as crypto from 'node:crypto'
import { CryptoFailure } from './crypto-failure.ts'

/** Throws if the source of random numbers fails: there is no weaker fallback. */
export function randomBytes(length: number): Buffer {
  return orFail(() => crypto.randomBytes(length))
}

/** An integer from 0 to `limit - 1`. */
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

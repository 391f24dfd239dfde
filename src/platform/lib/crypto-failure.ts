/** Hashing or randomness failed: the machine is out of memory, or its source of random numbers is broken. */
export class CryptoFailure extends Error {
  readonly what: 'argon2' | 'random'

  constructor(what: CryptoFailure['what'], cause: unknown) {
    super(`${what} failed`, { cause })
    this.name = 'CryptoFailure'
    this.what = what
  }
}

import type { App } from '../../app.ts'
import { base32, normaliseBase32 } from '../../platform/lib/base32.ts'
import { randomBytes } from '../../platform/lib/random.ts'
import type { Tx } from '../../platform/store/store.ts'
import { replaceRecoveryCodes, claimRecoveryCode } from './queries.ts'

const count = 10
const length = 25 // 125 bits of entropy: a keyed hash is enough, a slow one is not needed

/**
 * Replaces all recovery codes by ten new ones. Only their MACs are stored, so the codes can be shown just this once.
 */
export async function createRecoveryCodes(app: App, tx: Tx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: count }, () => base32(randomBytes(16), length))
  await replaceRecoveryCodes(
    tx,
    userId,
    codes.map(code => app.secrets.mac('vault', 'recovery', `${userId}|${code}`)),
  )
  return codes.map(code => code.replaceAll(/(.{5})(?=.)/g, '$1-'))
}

/** True the first time a code is used. */
export async function useRecoveryCode(app: App, tx: Tx, userId: string, typed: string): Promise<boolean> {
  const macs = app.secrets.macs('vault', 'recovery', `${userId}|${normaliseBase32(typed)}`)
  return claimRecoveryCode(tx, userId, macs)
}

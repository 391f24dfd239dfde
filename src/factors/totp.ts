import type { App } from '../app.ts'
import { record } from '../audit/audit.ts'
import { open, seal } from '../lib/box.ts'
import { matchingTotpStep } from '../lib/totp.ts'
import { mostFailures } from '../throttle/policies.ts'
import type { Tx } from '../store/store.ts'
import {
  type Account,
  clockOf,
  countTotpFailure,
  replaceRecoveryCodes,
  storeTotpSecret,
  useTotpStep,
} from './queries.ts'

/** Turns the factor on. The secret must be readable to compute codes, so it is sealed, for this account only. */
export async function setTotp(app: App, tx: Tx, userId: string, secret: string): Promise<void> {
  const { id } = app.secrets.keys.vault[0]!
  const box = seal(app.secrets.derived('vault', 'totp', id)!, secret, userId)
  await storeTotpSecret(tx, userId, `${id}.${box}`)
  await record(tx, { event: 'auth.factor.added', subject: userId, detail: { factor: 'totp' } })
}

/** Recovery codes stand in for the factor, so they go with it. */
export async function removeTotp(tx: Tx, userId: string): Promise<void> {
  await storeTotpSecret(tx, userId, null)
  await replaceRecoveryCodes(tx, userId, [])
  await record(tx, { event: 'auth.factor.removed', subject: userId, detail: { factor: 'totp' } })
}

/** True once per code. The caller holds the account's row. */
export async function useTotp(app: App, tx: Tx, account: Account, code: string): Promise<boolean> {
  const secret = account.totp_fail_streak < mostFailures ? unseal(app, account) : undefined
  const step = secret === undefined ? undefined : await matchingTotpStep(secret, code, await clockOf(tx))
  if (step !== undefined && (await useTotpStep(tx, account.id, step))) return true
  if ((await countTotpFailure(tx, account.id)) === mostFailures) {
    await record(tx, { event: 'auth.factor.disabled', subject: account.id, detail: { factor: 'totp' } })
  }
  return false
}

function unseal(app: App, { id, totp_secret: sealed }: Account): string | undefined {
  if (sealed === null) return undefined
  const [keyId = '', box = ''] = sealed.split('.')
  const key = app.secrets.derived('vault', 'totp', keyId)
  const secret = key && open(key, box, id)
  if (secret === undefined)
    app.log.error({ event: 'auth.totp.unreadable', user: id }, 'a stored TOTP secret cannot be opened')
  return secret
}

import type { App } from '../../app.ts'
import type { Context } from '../actor.ts'
import { auditActor, record } from '../audit/audit.ts'
import { decrypt, encrypt } from '../../platform/lib/encrypt.ts'
import { matchingTotpStep } from '../../platform/lib/totp.ts'
import { maxFailures } from '../../platform/throttle/policies.ts'
import { selectNow, type Tx } from '../../platform/store/store.ts'
import {
  type Account,
  incrementTotpFailures,
  deleteRecoveryCodesWithoutFactor,
  updateTotpSecret,
  claimTotpStep,
} from './queries.ts'

/** Encrypts the secret, bound to this account: computing codes needs the plain text, so a hash would not do. */
export function sealTotp(app: App, userId: string, secret: string): string {
  const { id } = app.secrets.keys.vault[0]!
  return `${id}.${encrypt(app.secrets.derived('vault', 'totp', id)!, secret, userId)}`
}

/** Enables the factor. The code that confirmed it (`usedStep`) cannot be used again. */
export async function setTotp(ctx: Context, tx: Tx, userId: string, secret: string, usedStep?: number): Promise<void> {
  await updateTotpSecret(tx, userId, sealTotp(ctx.app, userId, secret), usedStep)
  await record(tx, { event: 'auth.factor.added', subject: userId, ...auditActor(ctx), detail: { factor: 'totp' } })
}

/** Also deletes the recovery codes if this was the last second factor. */
export async function removeTotp(ctx: Context, tx: Tx, userId: string): Promise<void> {
  await updateTotpSecret(tx, userId, null)
  await deleteRecoveryCodesWithoutFactor(tx, userId)
  await record(tx, { event: 'auth.factor.removed', subject: userId, ...auditActor(ctx), detail: { factor: 'totp' } })
}

/**
 * True the first time a code is used. The caller has locked the account's row. `onDisabled` is called when the number
 * of failures disables the factor.
 */
export async function useTotp(
  app: App,
  tx: Tx,
  account: Account,
  code: string,
  onDisabled?: (tx: Tx, account: Account) => Promise<void>,
): Promise<boolean> {
  const { id, totp_secret: sealed, totp_fail_streak: streak } = account
  const secret = sealed !== null && streak < maxFailures ? unsealTotp(app, id, sealed) : undefined
  const step = secret === undefined ? undefined : await matchingTotpStep(secret, code, await selectNow(tx))
  if (step !== undefined && (await claimTotpStep(tx, id, step))) return true
  if ((await incrementTotpFailures(tx, id)) === maxFailures) {
    await onDisabled?.(tx, account)
    await record(tx, { event: 'auth.factor.disabled', subject: id, detail: { factor: 'totp' } })
  }
  return false
}

export function unsealTotp(app: App, userId: string, sealed: string): string | undefined {
  const [keyId = '', box = ''] = sealed.split('.')
  const key = app.secrets.derived('vault', 'totp', keyId)
  const secret = key && decrypt(key, box, userId)
  if (secret === undefined)
    app.log.error({ event: 'auth.totp.unreadable', user: userId }, 'a stored TOTP secret cannot be opened')
  return secret
}

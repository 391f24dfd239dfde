import type { App } from '../../../app.ts'
import { auditActor, record } from '../../../access/audit/audit.ts'
import { fail } from '../../../platform/errors.ts'
import { checkPassword, completePassword } from '../../../access/factors/credentials.ts'
import { hashPassword } from '../../../access/factors/password.ts'
import { type Account, selectAccountById, lockAccount } from '../../../access/factors/queries.ts'
import { hasMail } from '../../../platform/mail/mail.ts'
import { revokeApiTokens } from '../../../access/session/api-tokens.ts'
import { readCookie } from '../../../access/session/cookies.ts'
import type { HttpExchange } from '../../../access/session/exchange.ts'
import type { CallerContext, Context } from '../../../access/actor.ts'
import { endEpoch } from '../../../access/session/sessions.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { message } from '../../../platform/texts.ts'
import { lockUser } from '../lock.ts'
import { notify, notifyDisabled } from '../mail-notices.ts'
import { updatePassword, updateStatus } from '../queries.ts'
import { endOtherSessions } from '../rotate-session.ts'
import { passwordMustBeValid } from '../rules.ts'
import { siteTitles } from '../titles.ts'
import type { UserRow } from '../users.ts'
import { markMustChangePassword } from './queries.ts'

export interface PasswordChange {
  currentPassword?: string | undefined
  password: string
  /** Whether to revoke the API tokens of the account. */
  endTokens?: boolean | undefined
}

/**
 * Changes the caller's own password. The current password is checked like a sign-in, with the same limits. All other
 * sessions end; returns the new token of the current session.
 */
export async function changeOwnPassword(
  ctx: CallerContext,
  exchange: HttpExchange,
  { currentPassword, password, endTokens = false }: PasswordChange,
): Promise<string | undefined> {
  const { app } = ctx
  const { id } = ctx.actor.user
  const [account] = await selectAccountById(app.store, id)
  if (!account) throw fail('user.notFound', { name: id })
  if (currentPassword?.normalize('NFC') === password.normalize('NFC')) throw fail('user.password.same')
  passwordMustBeValid(app, password, account, await siteTitles(app))
  const proof = await proveCurrent(app, exchange, account, currentPassword)
  const hash = await hashPassword(app, password)
  return app.store.write(async tx => {
    await proof(tx)
    await lockUser(ctx, tx, account, 'users.changePassword')
    await updatePassword(tx, account.id, hash)
    await notify(app, tx, account, 'passwordChanged', {})
    const token = await endOtherSessions(ctx, tx, account.id, 'password')
    if (endTokens) await revokeApiTokens(ctx, tx, account.id)
    await record(tx, { event: 'auth.password.changed', subject: account.id, ...auditActor(ctx) })
    return token
  })
}

/**
 * Checks the current password and returns a check for the transaction of the change: of two concurrent changes with the
 * same current password, the second fails.
 */
async function proveCurrent(
  app: App,
  exchange: HttpExchange,
  account: Account,
  currentPassword: string | undefined,
): Promise<(tx: Tx) => Promise<void>> {
  if (account.password_hash === null) return tx => mustHaveNoPassword(app, tx, account)
  if (currentPassword === undefined) {
    const required = { label: 'currentPassword', message: { required: message('validation.required') } }
    throw fail('validation').with({ details: { currentPassword: required } })
  }
  const email = { address: account.email, key: account.email_key }
  const device = readCookie(app.config, exchange, 'device')
  const onDisabled = notifyDisabled(app)
  const verified = await checkPassword(app, exchange, { email, password: currentPassword, device, onDisabled })
  return async tx => void (await completePassword(app, tx, verified))
}

/** Guards the first password of an account that signs in with passkeys only. */
async function mustHaveNoPassword(app: App, tx: Tx, { id, auth_epoch: epoch }: Account): Promise<void> {
  const current = await lockAccount(app.store, tx, id)
  if (!current || current.auth_epoch !== epoch || current.password_hash !== null) throw fail('access.login')
}

/**
 * Sets a temporary password for another account where no mail is configured; the owner must replace it. Revokes the API
 * tokens by default, because the account may be compromised.
 */
export async function setPasswordOf(
  ctx: Context,
  user: UserRow,
  { password, endTokens = true }: PasswordChange,
): Promise<void> {
  const { app } = ctx
  if (hasMail(app)) throw fail('user.password.mail')
  passwordMustBeValid(app, password, user, await siteTitles(app))
  const hash = await hashPassword(app, password)
  await app.store.write(async tx => {
    const account = await lockUser(ctx, tx, user, 'users.changePassword')
    await updatePassword(tx, user.id, hash)
    await markMustChangePassword(tx, user.id)
    await endEpoch(ctx, tx, user.id, 'password')
    if (endTokens) await revokeApiTokens(ctx, tx, user.id)
    await record(tx, { event: 'auth.password.changed', subject: user.id, ...auditActor(ctx) })
    if (account.status !== 'invited') return
    await updateStatus(tx, user.id, 'active')
    await record(tx, {
      event: 'user.activated',
      subject: user.id,
      ...auditActor(ctx),
      detail: { role: account.role, revision: account.revision },
    })
  })
}

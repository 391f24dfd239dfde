import type { App } from '../../../app.ts'
import { auditActor, record } from '../../../access/audit/audit.ts'
import { fail } from '../../../platform/errors.ts'
import {
  consumeChallenge,
  countAttempt,
  deleteChallenges,
  findChallenge,
  startChallenge,
  wrongCode,
} from '../../../access/factors/challenges.ts'
import type { Account } from '../../../access/factors/queries.ts'
import type { Email } from '../../../platform/lib/email.ts'
import { linkLifetimes } from '../../../platform/mail/render.ts'
import { queueMail } from '../../../platform/mail/mail.ts'
import type { CallerContext, Context } from '../../../access/actor.ts'
import { can } from '../../../access/authorize/authorize.ts'
import { endEpoch } from '../../../access/session/sessions.ts'
import { isUniqueViolation, type Tx } from '../../../platform/store/store.ts'
import { charge, chargeFor } from '../../../platform/throttle/throttle.ts'
import { lockUser } from '../lock.ts'
import { notify } from '../mail-notices.ts'
import { emailMustBeValid } from '../rules.ts'
import { sortKey } from '../users.ts'
import { isFree, updateEmail } from './queries.ts'

/**
 * Changes the address immediately: for callers who manage other accounts, and for the owner where no mail is
 * configured. Ends all sessions of the account.
 */
export async function changeEmail(ctx: CallerContext, user: { id: string }, text: string): Promise<void> {
  const { app, actor } = ctx
  const own = user.id === actor.user.id
  const taken = await takingEmail(app, text, async tx => {
    const account = await lockUser(ctx, tx, user, 'users.changeEmail')
    const email = emailMustBeValid(text)
    if (own || !canViewOthers(ctx)) await chargeRequest(ctx, tx)
    if (!(await isFree(tx, user.id, email.key))) return email
    if (account.email !== email.address) await replaceEmail(ctx, tx, account, email)
    return undefined
  })
  if (taken) throw duplicate(taken.address)
}

/**
 * Starts the change of the caller's own address: nothing changes until the link sent to the new address is opened.
 * Returns the lifetime of the link in seconds. Callers without `access.users` must not learn that another account has
 * the address, so the response is the same and the mail is a decoy that is never sent.
 */
export async function requestEmail(ctx: CallerContext, text: string): Promise<number> {
  const { app } = ctx
  const { user } = ctx.actor
  const taken = await app.store.write(async tx => {
    const account = await lockUser(ctx, tx, user, 'users.changeEmail')
    const email = emailMustBeValid(text)
    await chargeRequest(ctx, tx)
    const isUsed = !(await isFree(tx, user.id, email.key))
    if (isUsed && canViewOthers(ctx)) return email
    await deleteChallenges(tx, account.id, 'email')
    const token = await startChallenge(app, tx, {
      kind: 'email',
      user: account,
      data: email,
      lifetimeMs: linkLifetimes.emailConfirm,
      maxAttempts: 1,
    })
    const queued = await queueMail(app, tx, {
      to: email.address,
      language: account.language,
      user: account.id,
      template: 'emailConfirm',
      data: { token },
      decoy: isUsed,
    })
    if (!queued) throw fail('user.mail.often')
    await record(tx, { event: 'auth.email.requested', subject: account.id, ...auditActor(ctx) })
    return undefined
  })
  if (taken) throw duplicate(taken.address)
  return linkLifetimes.emailConfirm / 1000
}

/**
 * Charges the throttle of the account. A request that is refused because the address is taken reveals that, so it must
 * count, too: the transaction is committed, and the refusal follows.
 */
async function chargeRequest({ app, actor: { user } }: CallerContext, tx: Tx): Promise<void> {
  await charge(app, tx, [chargeFor(app, 'email', user.id)])
}

const canViewOthers = (ctx: CallerContext) => can(ctx, 'access.users')

/** The token is checked after the permission: a caller without it gets the same answer for every token. */
export async function confirmEmail(ctx: CallerContext, token: string): Promise<void> {
  const { app } = ctx
  const { user } = ctx.actor
  const pending = await findChallenge<Email>(app, 'email', token)
  await takingEmail(app, pending?.data.address ?? '', async tx => {
    const account = await lockUser(ctx, tx, user, 'users.changeEmail')
    if (pending?.userId !== user.id || account.auth_epoch !== pending.epoch) throw wrongCode(true)
    if ((await countAttempt(tx, pending)) === undefined) throw wrongCode(true)
    if (!(await isFree(tx, user.id, pending.data.key))) throw duplicate(pending.data.address)
    await consumeChallenge(tx, pending)
    await replaceEmail(ctx, tx, account, pending.data)
  })
}

/** Notifies the old and the new address: if the account was taken over, its owner reads the old one. */
async function replaceEmail(ctx: Context, tx: Tx, account: Account, { address, key }: Email): Promise<void> {
  await updateEmail(tx, account.id, { email: address, email_key: key, sort_key: sortKey(account.name, address) })
  for (const email of [account.email, address])
    await notify(ctx.app, tx, { ...account, email }, 'emailChanged', { email: address })
  await endEpoch(ctx, tx, account.id, 'email')
  await record(tx, { event: 'auth.email.changed', subject: account.id, ...auditActor(ctx) })
}

/** On PostgreSQL concurrent requests may both find the address free: the unique index lets one of them succeed. */
async function takingEmail<Result>(app: App, address: string, work: (tx: Tx) => Promise<Result>) {
  try {
    return await app.store.write(work)
  } catch (error) {
    throw isUniqueViolation(error) ? duplicate(address) : error
  }
}

const duplicate = (address: string) => fail('user.duplicate', { email: address })

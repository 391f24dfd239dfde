import type { App } from '../../app.ts'
import { type By, record } from '../../audit/audit.ts'
import { fail } from '../../errors.ts'
import {
  consumeChallenge,
  drawAttempt,
  dropChallenges,
  findChallenge,
  startChallenge,
  wrongCode,
} from '../../factors/challenges.ts'
import { type Account, lockAccount } from '../../factors/queries.ts'
import type { Email } from '../../lib/email.ts'
import { linkLifetimes } from '../../mail/letter.ts'
import { queueMail } from '../../mail/mail.ts'
import { endEpoch } from '../../session/sessions.ts'
import type { Tx } from '../../store/store.ts'
import { notify } from '../notices.ts'
import { emailMustBeValid } from '../rules.ts'
import { sortKey } from '../users.ts'
import { isFree, updateEmail } from './queries.ts'

/** At once: by somebody who looks after accounts, or where no mail could confirm it. Ends all sessions of the account. */
export async function changeEmail(app: App, user: { id: string }, text: string, by: By): Promise<void> {
  const email = emailMustBeValid(text)
  await takingEmail(app, user, email, async tx => {
    const account = await heldAccount(app, tx, user)
    if (account.email !== email.address) await replaceEmail(app, tx, account, email, by)
  })
}

/**
 * The owner's own change: nothing happens before the link that goes to the new address has come back. Answers with the
 * seconds in which it has to.
 */
export async function requestEmail(app: App, user: { id: string }, text: string, by: By): Promise<number> {
  const email = emailMustBeValid(text)
  await takingEmail(app, user, email, async tx => {
    const account = await heldAccount(app, tx, user)
    await dropChallenges(tx, account.id, 'email')
    const token = await startChallenge(app, tx, {
      kind: 'email',
      user: account,
      data: email,
      lifetime: linkLifetimes.emailConfirm,
      attempts: 1,
    })
    const queued = await queueMail(app, tx, {
      to: email.address,
      language: account.language,
      user: account.id,
      template: 'emailConfirm',
      data: { token },
    })
    if (!queued) throw fail('user.mail.often')
    await record(tx, { event: 'auth.email.requested', subject: account.id, ...by })
  })
  return linkLifetimes.emailConfirm / 1000
}

export async function confirmEmail(app: App, user: { id: string }, token: string, by: By): Promise<void> {
  const pending = await findChallenge<Email>(app, 'email', token)
  if (pending?.userId !== user.id) throw wrongCode(true)
  await takingEmail(app, user, pending.data, async tx => {
    const account = await heldAccount(app, tx, user)
    if (account.auth_epoch !== pending.epoch || (await drawAttempt(tx, pending)) === undefined) throw wrongCode(true)
    await consumeChallenge(tx, pending)
    await replaceEmail(app, tx, account, pending.data, by)
  })
}

async function heldAccount(app: App, tx: Tx, { id }: { id: string }): Promise<Account> {
  const account = await lockAccount(app.store, tx, id)
  if (!account) throw fail('user.notFound', { name: id })
  return account
}

/** Both mailboxes learn of it: whoever lost the account reads the old one. */
async function replaceEmail(app: App, tx: Tx, account: Account, { address, key }: Email, by: By): Promise<void> {
  await updateEmail(tx, account.id, { email: address, email_key: key, sort_key: sortKey(account.name, address) })
  for (const email of [account.email, address])
    await notify(app, tx, { ...account, email }, 'emailChanged', { email: address })
  await endEpoch(tx, account.id, 'email', by)
  await record(tx, { event: 'auth.email.changed', subject: account.id, ...by })
}

/** Two may want one address at once: the store lets one have it, and the other is told the same as everybody after. */
async function takingEmail(app: App, { id }: { id: string }, email: Email, work: (tx: Tx) => Promise<void>) {
  const duplicate = fail('user.duplicate', { email: email.address })
  if (!(await isFree(app.store, id, email.key))) throw duplicate
  try {
    await app.store.write(work)
  } catch (error) {
    throw (await isFree(app.store, id, email.key)) ? error : duplicate
  }
}

import type { App } from '../../../app.ts'
import { type By, record } from '../../../access/audit/audit.ts'
import { fail } from '../../../platform/errors.ts'
import { dropChallenges, startChallenge } from '../../../access/factors/challenges.ts'
import { lockAccount } from '../../../access/factors/queries.ts'
import { linkFor, linkLifetimes } from '../../../platform/mail/letter.ts'
import { hasMail, queueMail } from '../../../platform/mail/mail.ts'
import type { Tx } from '../../../platform/store/store.ts'
import type { Recipient } from '../mail-notices.ts'
import type { AccountCheck } from '../rules.ts'

/** If the mail was not sent, `link` is the only copy of the link. */
export interface Invitation {
  link: string
  sent: boolean
}

type Invited = Recipient & { auth_epoch: number }

/**
 * Invites the owner of a new account to choose a password. If the mail limit of the address is reached, the account is
 * still created: the invitation can be sent again later.
 */
export async function invite(app: App, tx: Tx, user: Invited, by: By = {}): Promise<void> {
  const { sent } = await startInvitation(app, tx, user, by)
  if (!sent && hasMail(app))
    app.log.warn({ event: 'mail.often', user: user.id }, 'an invitation was not sent: there were several already')
}

/** Replaces former invitations: their links stop working. */
async function startInvitation(app: App, tx: Tx, user: Invited, by: By): Promise<Invitation> {
  await dropChallenges(tx, user.id, 'invite')
  const token = await startChallenge(app, tx, {
    kind: 'invite',
    user,
    data: {},
    lifetime: linkLifetimes.invite,
    attempts: 1,
  })
  const { id, email: to, language } = user
  const sent = await queueMail(app, tx, { to, language, user: id, template: 'invite', data: { token } })
  await record(tx, { event: 'user.invited', subject: id, ...by })
  return { link: linkFor(app, 'invite', token), sent }
}

/** Sends the invitation again. Needs mail, because only the owner of the account may see the link. */
export async function sendInvitation(app: App, user: { id: string }, by: By, check: AccountCheck): Promise<void> {
  if (!hasMail(app)) throw fail('user.mail.missing')
  await app.store.write(async tx => {
    const { sent } = await inviteAgain(app, tx, user, by, check)
    if (!sent) throw fail('user.mail.often') // rolls back, so the former link stays valid
  })
}

/** For the command line: if no mail is sent, the operator hands over the link. */
export async function invitationLink(app: App, user: { id: string }): Promise<Invitation> {
  return app.store.write(tx => inviteAgain(app, tx, user, {}))
}

async function inviteAgain(app: App, tx: Tx, user: { id: string }, by: By, check?: AccountCheck): Promise<Invitation> {
  const account = await lockAccount(app.store, tx, user.id)
  if (account) check?.(account)
  if (account?.status !== 'invited') throw fail('user.invitation.accepted')
  return startInvitation(app, tx, account, by)
}

import type { App } from '../../app.ts'
import { type By, record } from '../../audit/audit.ts'
import { fail } from '../../errors.ts'
import { dropChallenges, startChallenge } from '../../factors/challenges.ts'
import { lockAccount } from '../../factors/queries.ts'
import { linkFor, linkLifetimes } from '../../mail/letter.ts'
import { hasMail, queueMail } from '../../mail/mail.ts'
import type { Tx } from '../../store/store.ts'
import type { Recipient } from '../notices.ts'

/**
 * Invites the owner of a new account to choose a password, in the transaction that makes it or later; former invitations no
 * longer count. The link goes out by mail. Where there is none, the answer is the only copy.
 */
export async function invite(app: App, tx: Tx, user: Recipient & { auth_epoch: number }, by: By = {}): Promise<string> {
  await dropChallenges(tx, user.id, 'invite')
  const token = await startChallenge(app, tx, {
    kind: 'invite',
    user,
    data: {},
    lifetime: linkLifetimes.invite,
    attempts: 1,
  })
  if (hasMail(app)) {
    const mail = {
      to: user.email,
      language: user.language,
      user: user.id,
      template: 'invite',
      data: { token },
    } as const
    if (!(await queueMail(app, tx, mail))) throw fail('user.mail.often')
  }
  await record(tx, { event: 'user.invited', subject: user.id, ...by })
  return linkFor(app, 'invite', token)
}

/** The invitation again. Nobody but its owner may see the link, so it needs mail. */
export async function sendInvitation(app: App, user: { id: string }, by: By): Promise<void> {
  if (!hasMail(app)) throw fail('user.mail.missing')
  await invitationLink(app, user, by)
}

/** For the command line, too: the link, to be handed over by whoever runs the server. */
export async function invitationLink(app: App, user: { id: string }, by: By = {}): Promise<string> {
  return app.store.write(async tx => {
    const account = await lockAccount(app.store, tx, user.id)
    if (account?.status !== 'invited') throw fail('user.invitation.accepted')
    return invite(app, tx, account, by)
  })
}

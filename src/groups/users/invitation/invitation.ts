import type { Context } from '../../../access/actor.ts'
import { auditActor, record } from '../../../access/audit/audit.ts'
import { fail } from '../../../platform/errors.ts'
import { deleteChallenges, startChallenge } from '../../../access/factors/challenges.ts'
import { linkFor, linkLifetimes } from '../../../platform/mail/render.ts'
import { hasMail, queueMail } from '../../../platform/mail/mail.ts'
import type { Tx } from '../../../platform/store/store.ts'
import type { Recipient } from '../mail-notices.ts'
import { lockUser } from '../lock.ts'

/** If the mail was not sent, `link` is the only copy of the link. */
export interface Invitation {
  link: string
  sent: boolean
}

type Invited = Recipient & { auth_epoch: number; role: string; revision: number }

/**
 * Invites the owner of an account without a password: when it is created or enabled again. If the mail limit of the
 * address is reached, that change is still made; the invitation can be sent later.
 */
export async function invite(ctx: Context, tx: Tx, user: Invited): Promise<void> {
  const { app } = ctx
  const { sent } = await startInvitation(ctx, tx, user)
  if (!sent && hasMail(app))
    app.log.warn({ event: 'mail.often', user: user.id }, 'an invitation was not sent: there were several already')
}

/** Replaces former invitations: their links stop working. */
async function startInvitation(ctx: Context, tx: Tx, user: Invited): Promise<Invitation> {
  const { app } = ctx
  await deleteChallenges(tx, user.id, 'invite')
  const token = await startChallenge(app, tx, {
    kind: 'invite',
    user,
    data: {},
    lifetimeMs: linkLifetimes.invite,
    maxAttempts: 1,
  })
  const { id, email: to, language, role, revision } = user
  const sent = await queueMail(app, tx, { to, language, user: id, template: 'invite', data: { token } })
  await record(tx, { event: 'user.invited', subject: id, ...auditActor(ctx), detail: { role, revision } })
  return { link: linkFor(app, 'invite', token), sent }
}

/** Sends the invitation again. Needs mail, because only the owner of the account may see the link. */
export async function sendInvitation(ctx: Context, user: { id: string }): Promise<void> {
  await ctx.app.store.write(async tx => {
    const { sent } = await inviteAgain(ctx, tx, user, { needsMail: true })
    if (!sent) throw fail('user.mail.often') // rolls back, so the former link stays valid
  })
}

/** For the command line: sends the invitation again. If no mail can be sent, the operator hands over the link. */
export async function sendInvitationOrLink(ctx: Context, user: { id: string }): Promise<Invitation> {
  return ctx.app.store.write(tx => inviteAgain(ctx, tx, user))
}

async function inviteAgain(
  ctx: Context,
  tx: Tx,
  user: { id: string },
  { needsMail = false } = {},
): Promise<Invitation> {
  const account = await lockUser(ctx, tx, user, 'users.create')
  if (needsMail && !hasMail(ctx.app)) throw fail('user.mail.missing')
  if (account.status !== 'invited') throw fail('user.invitation.accepted')
  return startInvitation(ctx, tx, account)
}

import type { App } from '../../../app.ts'
import type { Context } from '../../../access/actor.ts'
import { auditActor, record } from '../../../access/audit/audit.ts'
import { fail } from '../../../platform/errors.ts'
import { startChallenge } from '../../../access/factors/challenges.ts'
import { randomToken, isToken } from '../../../platform/lib/id.ts'
import { randomInt } from '../../../platform/lib/random.ts'
import { normaliseDigits } from '../../../platform/lib/totp.ts'
import { linkFor, linkLifetimes } from '../../../platform/mail/render.ts'
import { hasMail, queueMail } from '../../../platform/mail/mail.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { lockUser } from '../lock.ts'

export const maxResetAttempts = 5

/** Keyed hashes of the two secrets that prove access to the mailbox: a code to type, and the token of the link. */
export interface ResetData {
  code: string
  token: string
}

export interface StartedReset {
  /** The id of the challenge, returned to the unauthenticated client; useless without the code. */
  handle: string
  code: string
  /** The token in the link: contains the handle, so that the link works in any browser. */
  token: string
}

/** Without an account it creates a decoy: the same row, with a code that is never sent. */
export async function startReset(
  app: App,
  tx: Tx,
  user: { id: string; auth_epoch: number } | undefined,
): Promise<StartedReset> {
  const code = String(randomInt(10 ** 8)).padStart(8, '0')
  const token = randomToken()
  const data: ResetData = { code: macOf(app, code), token: macOf(app, token) }
  const handle = await startChallenge(app, tx, {
    kind: 'reset',
    user,
    data,
    lifetimeMs: linkLifetimes.reset,
    maxAttempts: maxResetAttempts,
  })
  return { handle, code, token: `${handle}.${token}` }
}

export function isResetCode(app: App, { code, token }: ResetData, typed: string): boolean {
  const [expected, normalised] = isToken(typed) ? [token, typed] : [code, normaliseDigits(typed)]
  return app.secrets.macs('session', 'reset', normalised).includes(expected)
}

const macOf = (app: App, secret: string) => app.secrets.mac('session', 'reset', secret)

/** For callers who manage accounts: the link goes to the owner only, who chooses the password. */
export async function sendReset(ctx: Context, user: { id: string }): Promise<void> {
  await ctx.app.store.write(async tx => {
    const { sent } = await requestReset(ctx, tx, user, () => {
      if (!hasMail(ctx.app)) throw fail('user.mail.missing')
    })
    if (!sent) throw fail('user.mail.often')
  })
}

/** For the command line: the same, but if no mail can be sent, the operator hands over the link. */
export async function sendResetOrLink(ctx: Context, user: { id: string }): Promise<{ link: string; sent: boolean }> {
  return ctx.app.store.write(tx => requestReset(ctx, tx, user))
}

async function requestReset(ctx: Context, tx: Tx, { id }: { id: string }, rule?: () => void) {
  const { app } = ctx
  const account = await lockUser(ctx, tx, { id }, 'users.changePassword')
  rule?.()
  if (account.status !== 'active') throw fail('user.inactive')
  const { code, token } = await startReset(app, tx, account)
  const { email: to, language } = account
  const sent = await queueMail(app, tx, { to, language, user: id, template: 'reset', data: { code, token } })
  await record(tx, { event: 'auth.password.reset.requested', subject: id, ...auditActor(ctx) })
  return { link: linkFor(app, 'reset', token), sent }
}

import { z } from 'zod'
import { type Answer, model } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { selectionQuery } from '../../../http/query-schemas.ts'
import { hasMail } from '../../../platform/mail/mail.ts'
import { expireSessionCookie } from '../../../access/session/cookies.ts'
import { ownUser, userTarget } from '../target.ts'
import { findUser } from '../users.ts'
import { userView } from '../view.ts'
import { changeEmail, confirmEmail, requestEmail } from './email.ts'

type ShownUser = Awaited<ReturnType<typeof userView.show>>

const changed = model(userView.schema)
const waiting = z.object({
  code: z.literal(202),
  status: z.literal('challenge'),
  challenge: z.object({ kind: z.literal('email'), expiresIn: z.int() }),
})

/** 202 until the link sent to the new address is opened: nothing has changed yet. */
const changedOrPending: Answer<
  ShownUser | { expiresIn: number },
  ReturnType<typeof changed.wrap>['json'] | z.output<typeof waiting>
> = {
  schemas: { 200: changed.schemas[200]!, 202: waiting },
  wrap: value =>
    'expiresIn' in value
      ? { status: 202, json: { code: 202, status: 'challenge', challenge: { kind: 'email', ...value } } }
      : changed.wrap(value),
}

export const emails = {
  changeEmail: endpoint({
    method: 'PATCH',
    path: '/users/:id/email',
    summary: 'Change the e-mail address of an account',
    description: [
      'For the own account with mail: 202, nothing changes until the link in the mail to the new address is opened. Otherwise it changes at once, and all sessions of the account end. The old address is notified.',
      'For another account it needs every right of its role.',
    ],
    access: 'users.changeEmail',
    authorizedByOperation: true,
    fresh: 'strong',
    on: userTarget,
    query: z.strictObject(selectionQuery),
    body: z.strictObject({ email: z.string().max(1000) }),
    answer: changedOrPending,
    handler: async ({ ctx, app, exchange, target, query, body }) => {
      if (target.own && hasMail(app)) return { expiresIn: await requestEmail(ctx, body.email) }
      await changeEmail(ctx, target.user, body.email)
      const changedUser = await findUser(app, target.user.id)
      if (target.own && changedUser.auth_epoch !== target.user.auth_epoch) expireSessionCookie(app.config, exchange)
      return userView.show(ctx, changedUser, query)
    },
  }),

  confirmEmail: endpoint({
    method: 'PUT',
    path: '/users/:id/email',
    summary: 'Confirm a new e-mail address with the token that was sent to it',
    description:
      'Changes the address of the own account. All of its sessions end, this one included; both addresses are notified.',
    access: 'users.changeEmail',
    authorizedByOperation: true,
    fresh: 'strong',
    on: ownUser,
    query: z.strictObject(selectionQuery),
    body: z.strictObject({ token: z.string().min(1).max(100) }),
    answer: changed,
    handler: async ({ ctx, app, exchange, target, query, body }) => {
      await confirmEmail(ctx, body.token)
      expireSessionCookie(app.config, exchange)
      return userView.show(ctx, await findUser(app, target.user.id), query)
    },
  }),
}

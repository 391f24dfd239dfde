import { z } from 'zod'
import { model } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { ownUser } from '../manage.ts'
import { sessionRotated, sendRotatedSession } from '../rotate-session.ts'
import { user } from '../target.ts'
import { beginTotp, confirmTotp, turnOffTotp } from './totp.ts'

const endOthers = z.boolean().optional()

/** Codes of an authenticator app as a second factor. */
export const totp = {
  begin: endpoint({
    method: 'POST',
    path: '/users/:id/totp',
    summary: 'Begin to set up an authenticator app',
    access: 'users.changePassword',
    fresh: 'strong',
    duringForcedSetup: true,
    on: ownUser,
    /** `replace`: allowed although there is an app, which stays valid until the new one is confirmed. */
    body: z.strictObject({ replace: z.boolean().optional() }).optional(),
    answer: model(
      z.object({
        secret: z.string(),
        uri: z.string(),
        challenge: z.string(),
        expiresIn: z.int(),
        attemptsLeft: z.int(),
      }),
    ),
    handler: ({ app, target, body }) => beginTotp(app, target.user, body?.replace),
  }),

  confirm: endpoint({
    method: 'PUT',
    path: '/users/:id/totp',
    summary: 'Turn the authenticator app on with a code of it',
    access: 'users.changePassword',
    fresh: 'strong',
    duringForcedSetup: true,
    on: ownUser,
    body: z.strictObject({ challenge: z.string().min(1).max(100), code: z.string().min(1).max(100), endOthers }),
    answer: sessionRotated,
    handler: async ({ ctx, app, exchange, caller, target, body }) => {
      const token = await confirmTotp(ctx, target.user, body)
      return sendRotatedSession(app, exchange, caller, token)
    },
  }),

  remove: endpoint({
    method: 'DELETE',
    path: '/users/:id/totp',
    summary: 'Remove the authenticator app',
    access: 'users.changePassword',
    fresh: 'strong',
    duringForcedSetup: true,
    on: user,
    body: z.strictObject({ endOthers }).optional(),
    answer: sessionRotated,
    handler: async ({ ctx, app, exchange, caller, target, body }) => {
      const others = body?.endOthers
      const token = await turnOffTotp(ctx, target.user, { others })
      return sendRotatedSession(app, exchange, caller, token)
    },
  }),
}

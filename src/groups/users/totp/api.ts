import { z } from 'zod'
import { model } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { sessionRotated, sendRotatedSession } from '../rotate-session.ts'
import { ownUser, userTarget } from '../target.ts'
import { beginTotp, confirmTotp, turnOffTotp } from './totp.ts'

const endOthers = z.boolean().optional()

/** Codes of an authenticator app as a second factor. */
export const totp = {
  begin: endpoint({
    method: 'POST',
    path: '/users/:id/totp',
    summary: 'Begin to set up an authenticator app',
    description:
      'A secret, and its URI for a QR code, shown this once. Nothing changes until a code of the app confirms it. Only for the own account; `replace` is needed if there is an app already.',
    access: 'users.changePassword',
    authorizedByOperation: true,
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
    handler: ({ ctx, body }) => beginTotp(ctx, body?.replace),
  }),

  confirm: endpoint({
    method: 'PUT',
    path: '/users/:id/totp',
    summary: 'Turn the authenticator app on with a code of it',
    description:
      'From now on signing in asks for a code. The session gets a new token, and `endOthers` ends the other sessions.',
    access: 'users.changePassword',
    authorizedByOperation: true,
    fresh: 'strong',
    duringForcedSetup: true,
    on: ownUser,
    body: z.strictObject({ challenge: z.string().min(1).max(100), code: z.string().min(1).max(100), endOthers }),
    answer: sessionRotated,
    handler: async ({ ctx, app, exchange, caller, body }) => {
      const token = await confirmTotp(ctx, body)
      return sendRotatedSession(app, exchange, caller, token)
    },
  }),

  remove: endpoint({
    method: 'DELETE',
    path: '/users/:id/totp',
    summary: 'Remove the authenticator app',
    description:
      'Signing in no longer asks for a code of it. The last second factor of a role that requires one stays; managers of accounts may remove it. The session gets a new token.',
    access: 'users.changePassword',
    authorizedByOperation: true,
    fresh: 'strong',
    duringForcedSetup: true,
    on: userTarget,
    body: z.strictObject({ endOthers }).optional(),
    answer: sessionRotated,
    handler: async ({ ctx, app, exchange, caller, target, body }) => {
      const token = await turnOffTotp(ctx, target.user, { endOthers: body?.endOthers })
      return sendRotatedSession(app, exchange, caller, token)
    },
  }),
}

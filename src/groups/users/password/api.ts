import { z } from 'zod'
import { isTooLong, maxPasswordLength } from '../../../access/factors/password.ts'
import { answer, done } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { customRule } from '../../../http/validate.ts'
import { selectionQuery } from '../../../http/query-schemas.ts'
import { message } from '../../../platform/texts.ts'
import { type RotatedSession, rotatedFields, sendRotatedSession } from '../rotate-session.ts'
import { userTarget } from '../target.ts'
import { userView } from '../view.ts'
import { changeOwnPassword, setPasswordOf } from './password.ts'
import { sendReset } from './reset.ts'

const longest = message('validation.maxlength', { max: String(maxPasswordLength.characters) })
const password = z
  .string()
  .min(1)
  .max(maxPasswordLength.bytes)
  .refine(text => !isTooLong(text), customRule('maxlength', longest))

type ShownUser = Awaited<ReturnType<typeof userView.show>>

const changedPassword = answer(
  z.object({
    code: z.literal(200),
    data: userView.schema,
    status: z.literal('ok'),
    type: z.literal('model'),
    ...rotatedFields,
  }),
  ({ shown, csrf }: { shown: ShownUser } & RotatedSession) =>
    ({ code: 200, data: shown, status: 'ok', type: 'model', ...(csrf !== undefined && { csrf }) }) as const,
)

export const passwords = {
  changePassword: endpoint({
    method: 'PATCH',
    path: '/users/:id/password',
    summary: 'Change the password of an account',
    description: [
      'The own password needs `currentPassword`; other sessions end, and this one gets a new token. The password of another account can be set only without mail, and needs every right of its role: its sessions and, by default, its tokens end, and its owner must choose a new one at the next sign-in.',
      'Common passwords and those made of names of the account or the site are refused.',
    ],
    access: 'users.changePassword',
    fresh: 'strong',
    duringForcedSetup: true,
    on: userTarget,
    query: z.strictObject(selectionQuery),
    body: z.strictObject({
      currentPassword: password.optional(),
      password,
      /**
       * Whether to revoke all API tokens of the account. The default is true for another account and false for the own
       * one.
       */
      endTokens: z.boolean().optional(),
    }),
    answer: changedPassword,
    handler: async ({ ctx, app, exchange, caller, target, query, body }) => {
      const token = target.own
        ? await changeOwnPassword(ctx, exchange, body)
        : await setPasswordOf(ctx, target.user, body).then(() => undefined)
      const shown = await userView.show(ctx, target.user, query)
      return { shown, ...sendRotatedSession(app, exchange, caller, token) }
    },
  }),

  resetPassword: endpoint({
    method: 'POST',
    path: '/users/:id/password-reset',
    summary: 'Send the owner of an account a link to choose a new password',
    description:
      'The present password stays until a new one is chosen. Needs mail and every right of the role of the account.',
    access: 'users.changePassword',
    authorizedByOperation: true,
    fresh: true,
    on: userTarget,
    answer: done,
    handler: ({ ctx, target }) => sendReset(ctx, target.user),
  }),
}

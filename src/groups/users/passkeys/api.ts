import { z } from 'zod'
import { attestationSchema } from '../../../access/factors/passkeys/credential.ts'
import { creationOptionsSchema } from '../../../access/factors/passkeys/passkeys.ts'
import { answer, collection, model } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { showList, listQuery } from '../../../http/list.ts'
import { type RotatedSession, sessionRotated, rotatedFields, sendRotatedSession } from '../rotate-session.ts'
import { ownUser, userTarget } from '../target.ts'
import { beginRegistration, changeName, finishRegistration, listPasskeys, removePasskey } from './passkeys.ts'
import { passkeyView } from './view.ts'

const name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^\P{Cc}*$/u)
const shown = passkeyView.schema

/** Passkeys: WebAuthn credentials that replace the password or serve as the second factor. */
export const passkeys = {
  list: endpoint({
    method: 'GET',
    path: '/users/:id/passkeys',
    summary: 'List the passkeys of an account',
    description: 'Names, times of creation and last use. Keys are never shown.',
    access: 'users.changePassword',
    authorizedByOperation: true,
    duringForcedSetup: true,
    on: userTarget,
    query: listQuery,
    answer: collection(shown),
    handler: async ({ ctx, target, query }) => showList(ctx, passkeyView, await listPasskeys(ctx, target.user), query),
  }),

  begin: endpoint({
    method: 'POST',
    path: '/users/:id/passkeys',
    summary: 'Begin to register a passkey',
    description:
      'The options for `navigator.credentials.create` and a challenge that is valid for five minutes. Only for the own account.',
    access: 'users.changePassword',
    authorizedByOperation: true,
    fresh: 'strong',
    duringForcedSetup: true,
    on: ownUser,
    body: z.strictObject({}).optional(),
    answer: model(z.object({ challenge: z.string(), expiresIn: z.int(), publicKey: creationOptionsSchema })),
    handler: ({ ctx }) => beginRegistration(ctx),
  }),

  create: endpoint({
    method: 'PUT',
    path: '/users/:id/passkeys',
    summary: 'Register the passkey that the browser made',
    description:
      'Stores the passkey under a name. The session counts as signed in with it and gets a new token; `endOthers` ends the other sessions. The owner is notified by mail.',
    access: 'users.changePassword',
    authorizedByOperation: true,
    fresh: 'strong',
    duringForcedSetup: true,
    on: ownUser,
    body: z.strictObject({
      challenge: z.string().min(1).max(100),
      credential: attestationSchema,
      name,
      endOthers: z.boolean().optional(),
    }),
    bodyLimit: 16_384,
    answer: answer(
      z.object({
        code: z.literal(200),
        data: shown,
        status: z.literal('ok'),
        type: z.literal('model'),
        ...rotatedFields,
      }),
      ({ data, csrf }: RotatedSession & { data: z.output<typeof shown> }) =>
        ({ code: 200, data, status: 'ok', type: 'model', ...(csrf !== undefined && { csrf }) }) as const,
    ),
    handler: async ({ ctx, app, exchange, caller, body }) => {
      const { passkey, token } = await finishRegistration(ctx, body)
      const data = await passkeyView.show(ctx, passkey)
      return { data, ...sendRotatedSession(app, exchange, caller, token) }
    },
  }),

  changeName: endpoint({
    method: 'PATCH',
    path: '/users/:id/passkeys/:passkey',
    summary: 'Change the name of a passkey',
    description: 'Only for the own account.',
    access: 'users.changePassword',
    authorizedByOperation: true,
    fresh: true,
    on: ownUser,
    body: z.strictObject({ name }),
    answer: model(shown),
    handler: async ({ ctx, params, body }) => {
      const passkey = await changeName(ctx, params.passkey, body.name)
      return passkeyView.show(ctx, passkey)
    },
  }),

  remove: endpoint({
    method: 'DELETE',
    path: '/users/:id/passkeys/:passkey',
    summary: 'Remove a passkey',
    description:
      'The passkey no longer signs in. The last second factor of a role that requires one stays; managers of accounts may remove it. `endOthers` ends the other sessions; for another account all of its sessions end. The owner is notified by mail.',
    access: 'users.changePassword',
    authorizedByOperation: true,
    fresh: 'strong',
    duringForcedSetup: true,
    on: userTarget,
    body: z.strictObject({ endOthers: z.boolean().optional() }).optional(),
    answer: sessionRotated,
    handler: async ({ ctx, app, exchange, caller, target, params, body }) => {
      const endOthers = body?.endOthers ?? false
      const token = await removePasskey(ctx, target.user, params.passkey, endOthers)
      return sendRotatedSession(app, exchange, caller, token)
    },
  }),
}

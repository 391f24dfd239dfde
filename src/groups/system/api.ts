import { z } from 'zod'
import { maxPasswordLength } from '../../access/factors/password.ts'
import { model } from '../../http/answer.ts'
import { endpoint } from '../../http/endpoint.ts'
import { selectionQuery } from '../../http/query-schemas.ts'
import { acceptedLanguage, translations } from '../../platform/translations/translations.ts'
import { showSignedIn } from '../users/signed-in.ts'
import { extensions } from './extensions/api.ts'
import { purge } from './purge/api.ts'
import { install, isInstalled } from './system.ts'
import { installAnswer, systemView } from './view.ts'
import { webhooks } from './webhooks/api.ts'

const languages = translations.map(({ id }) => id) as [string, ...string[]]

/** The installation: what the sign-in form and the panel need to know, and the creation of the first account. */
export const system = {
  get: endpoint({
    method: 'GET',
    path: '/system',
    summary: 'Retrieve what is known about the system',
    description:
      'What the sign-in form and the panel need: whether there is an account, languages of the interface, ways to sign in. Signed-in callers get more; the release number needs `access.system`.',
    access: 'public',
    duringForcedSetup: true,
    query: z.strictObject({ ...selectionQuery }),
    answer: model(systemView.schema),
    handler: async ({ ctx, app, exchange, caller, query }) => {
      const systemState = { exchange, installed: await isInstalled(app) }
      return systemView.show(ctx, systemState, caller ? query : { view: 'anonymous' })
    },
  }),

  install: endpoint({
    method: 'POST',
    path: '/system/install',
    summary: 'Make the first account, an administrator, and sign in',
    description:
      'Only while there is no account. Needs to be called from the same machine, or with the setup token that the server prints at its start. Sets the session cookie.',
    access: 'public',
    identify: false,
    body: z.strictObject({
      email: z.string().min(1).max(1000),
      password: z.string().min(1).max(maxPasswordLength.bytes),
      name: z.string().max(200).optional(),
      language: z.enum(languages).optional(),
      /** Optional: the first account is always an administrator. */
      role: z.literal('admin').optional(),
      token: z.string().min(1).max(100).optional(),
    }),
    bodyLimit: 8192,
    answer: installAnswer,
    handler: async ({ ctx, app, exchange, body }) => {
      const { email, password, name = '', token } = body
      const language = body.language ?? acceptedLanguage(exchange.headers['accept-language'])
      const { account: user, ...started } = await install(app, exchange, { email, password, name, language, token })
      return { user: await showSignedIn(ctx, user), ...started }
    },
  }),

  extensions,

  purge,

  webhooks,
}

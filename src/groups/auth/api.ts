import { z } from 'zod'
import type { App } from '../../app.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import { done } from '../../http/answer.ts'
import { endpoint } from '../../http/endpoint.ts'
import { selectionQuery } from '../../http/view.ts'
import { expireSessionCookie } from '../../access/session/cookies.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { rotateIfDue } from '../../access/session/identify.ts'
import { userView } from '../users/view.ts'
import { login, logout } from './auth.ts'
import { loginBody } from './body.ts'
import { callerAnswer, loginAnswer } from './view.ts'

const bodyLimit = 8192

/** Logs no e-mail address and no network: more people read the log than the audit events, and it is stored longer. */
function logRefusal({ log }: App, { requestId }: HttpExchange, error: unknown): never {
  if (error instanceof ApiError)
    log.info({ event: 'auth.login.refused', key: `error.${error.key}`, request: requestId }, 'refused a sign-in')
  throw error
}

/** Three operations. Second factor, passkey, password reset and invitation are methods of `login`. */
export const auth = {
  get: endpoint({
    method: 'GET',
    path: '/auth',
    summary: 'Retrieve the signed-in user',
    access: 'session',
    duringForcedSetup: true,
    cacheable: true,
    query: z.strictObject({ ...selectionQuery }),
    answer: callerAnswer,
    handler: async ({ ctx, app, exchange, caller, query }) => {
      const { user, session, csrf, ...rest } = await rotateIfDue(app, exchange, caller)
      return { user: await userView.show({ ...ctx, actor: { user, ...rest } }, user, query, 'auth'), session, csrf }
    },
  }),

  login: endpoint({
    method: 'POST',
    path: '/auth/login',
    summary: 'Sign in, or take the next step of signing in',
    access: 'public',
    identify: false,
    body: loginBody,
    bodyLimit,
    invalid: issues => (issues.some(issue => issue.code === 'invalid_union') ? fail('auth.method') : undefined),
    answer: loginAnswer,
    handler: async ({ ctx, app, exchange, body }) => {
      const result = await login(app, exchange, body).catch((error: unknown) => logRefusal(app, exchange, error))
      if (result.kind !== 'session') return result
      const { account: user, session, csrf } = result
      app.log.info({ event: 'auth.login.ok', user: user.id, request: exchange.requestId }, 'signed in')
      return { user: await userView.show({ ...ctx, actor: { user } }, user, {}, 'auth'), session, csrf }
    },
  }),

  logout: endpoint({
    method: 'POST',
    path: '/auth/logout',
    summary: 'Sign out',
    access: 'public',
    identify: false,
    withoutToken: true,
    body: z.strictObject({}).optional(),
    bodyLimit,
    // The browser drops the cookie even if the body is invalid or the database is unavailable.
    first({ app, exchange }) {
      expireSessionCookie(app.config, exchange)
      exchange.answer.headers['clear-site-data'] = '"cache"'
    },
    answer: done,
    handler: ({ app, exchange }) => logout(app, exchange),
  }),
}

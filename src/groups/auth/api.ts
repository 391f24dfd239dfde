import { z } from 'zod'
import type { App } from '../../app.ts'
import { ApiError, type ErrorKey, fail } from '../../platform/errors.ts'
import type { SignInResult } from '../../platform/metrics.ts'
import { done } from '../../http/answer.ts'
import { endpoint } from '../../http/endpoint.ts'
import { selectionQuery } from '../../http/query-schemas.ts'
import { expireSessionCookie } from '../../access/session/cookies.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { rotateIfDue } from '../../access/session/identify.ts'
import { showSignedIn } from '../users/signed-in.ts'
import { userView } from '../users/view.ts'
import { login, logout } from './auth.ts'
import { loginBody } from './body.ts'
import { callerAnswer, loginAnswer } from './view.ts'

const bodyLimit = 8192

/** The results of sign-ins in the metrics; all other errors are refusals. */
const results: Readonly<Record<string, SignInResult>> = {
  'access.login': 'failed',
  'access.code': 'failed',
  'auth.throttled': 'throttled',
} satisfies Partial<Record<ErrorKey, SignInResult>>

/** Logs no e-mail address and no network: more people read the log than the audit events, and it is stored longer. */
function logRefusal({ log, metrics }: App, { requestId }: HttpExchange, error: unknown): never {
  metrics.signIns[(error instanceof ApiError && results[error.key]) || 'refused']++
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
    description: [
      'The account that the credentials of the request belong to, with its permissions.',
      'With a session, also the session and `csrf`, the token for the header `X-CSRF` of every request that changes something.',
      'Renews the token of the session from time to time, by a new cookie.',
    ],
    access: 'session',
    duringForcedSetup: true,
    cacheable: true,
    query: z.strictObject({ ...selectionQuery }),
    answer: callerAnswer,
    handler: async ({ ctx, app, exchange, caller, query }) => {
      const { session, csrf } = await rotateIfDue(app, exchange, caller)
      return { user: await userView.show(ctx, caller.user, query, 'auth'), session, csrf }
    },
  }),

  login: endpoint({
    method: 'POST',
    path: '/auth/login',
    summary: 'Sign in, or take the next step of signing in',
    description: [
      'Signs in with e-mail address and password and sets the session cookie: 200. If another step is needed, 202 with a challenge and no cookie; send the next step to the same address.',
      '`method` chooses what is sent: `password` (the default), `code`, `recovery` and `passkey` as a second step, `passkey` alone, `reauth` to confirm an existing session, `reset` to choose a new password by mail, `invite` to activate an account.',
      'Wrong attempts are counted by account and network, and slowed down.',
    ],
    access: 'public',
    identify: false,
    body: loginBody,
    bodyLimit,
    invalid: issues => (issues.some(issue => issue.code === 'invalid_union') ? fail('auth.method') : undefined),
    answer: loginAnswer,
    handler: async ({ ctx, app, exchange, body }) => {
      const result = await login(app, exchange, body).catch((error: unknown) => logRefusal(app, exchange, error))
      app.metrics.signIns[result.kind === 'session' ? 'ok' : 'next-step']++
      if (result.kind !== 'session') return result
      const { account: user, session, csrf } = result
      app.log.info({ event: 'auth.login.ok', user: user.id, request: exchange.requestId }, 'signed in')
      return { user: await showSignedIn(ctx, user), session, csrf }
    },
  }),

  logout: endpoint({
    method: 'POST',
    path: '/auth/logout',
    summary: 'Sign out',
    description:
      'Ends the session of the request and removes its cookie. Always succeeds, also without a session. Other sessions of the account stay.',
    access: 'public',
    identify: false,
    withoutCsrfToken: true,
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

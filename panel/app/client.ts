import { createClient } from '../../client/client.ts'
import type { Routes } from '../../client/routes.ts'
import { requestedLanguage } from '../texts/texts.ts'
import { base } from './base.ts'
import { takeEarly } from './early.ts'
import { throwConnectionError } from './errors.ts'
import { requestSignIn } from './sign-in-request.ts'
import { retryWhileBusy } from './retry.ts'
import { send } from './upload.ts'

const url = location.origin + base

/**
 * The API client of the panel. A request that a busy server refuses is retried. If the session has ended, or must be
 * confirmed, the request waits until the user has signed in again in a dialog over the current screen, and is then sent
 * once more.
 */
export const client = createClient({ url, fetch: sendWithRetries })

/** The same with the endpoints of extensions, for their parts of the panel. */
export const createPanelClient = (routes: Routes) => createClient({ url, fetch: sendWithRetries, routes })

async function sendWithRetries(address: string, options: RequestInit): Promise<Response> {
  // Without a session, the server responds in this language; with one, in the language of the account.
  const headers = new Headers(options.headers)
  const language = requestedLanguage()
  if (language !== undefined) headers.set('accept-language', language)
  // Requires a session: without one, a public site would answer as to an anonymous client.
  if (options.method === 'GET') headers.set('x-csrf', 'panel')
  const init = { ...options, headers }
  const first = () => takeEarly(address, init)?.catch(throwConnectionError) ?? send(address, init)
  // Not retried here: the sign-in form shows that the server is busy, and retries itself.
  if (isAboutSigningIn(address) && init.method !== 'GET') return first()
  // A report in the background: no reason to sign in, and sent also while the tab is being closed.
  if (isPresence(address)) return send(address, { ...init, keepalive: true })
  const response = await retryWhileBusy(first, init.method)
  if (isAboutSigningIn(address)) return response
  const csrf = await renewed(response)
  return csrf === undefined ? response : retryWhileBusy(() => send(address, provenBy(csrf, init)), init.method)
}

/** Endpoints that start, end or read a session. Their 401 is a result, and no reason to open the sign-in dialog. */
const isAboutSigningIn = (address: string) => /^\/api\/(auth(\/|\?|$)|system\/install$)/.test(address.slice(url.length))

const isPresence = (address: string) => address.startsWith('/api/site/presence', url.length)

/** The CSRF token with which the request can be sent again, if it failed for want of a valid session. */
async function renewed(response: Response): Promise<string | undefined> {
  if (response.status !== 401 && response.status !== 403) return undefined
  const { key } = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { key?: string }
  switch (key) {
    case 'error.auth':
      return requestSignIn('signin')
    case 'error.auth.fresh':
      return requestSignIn('confirm')
    case 'error.auth.csrf': // signed in again in another tab
      return client.auth.get().then(
        ({ csrf }) => csrf,
        () => requestSignIn('signin'),
      )
    default:
      return undefined
  }
}

function provenBy(csrf: string, init: RequestInit): RequestInit {
  const headers = new Headers(init.headers)
  if (init.method !== 'GET') headers.set('x-csrf', csrf)
  return { ...init, headers }
}

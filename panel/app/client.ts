import { createClient } from '../../client/client.ts'
import { chosenLanguage } from '../texts/texts.ts'
import { base } from './base.ts'
import { takeEarly } from './early.ts'
import { ask } from './interruption.ts'
import { retryWhileBusy } from './retry.ts'
import { send } from './upload.ts'

const url = location.origin + base

/**
 * Everything the panel knows comes through here. A request that meets a busy server is sent again. One that meets an ended
 * session, or one that is not fresh enough, waits until the person has signed in again over the screen they are on, and is then
 * sent once more.
 */
export const client = createClient({ url, fetch: patiently })

async function patiently(address: string, asked: RequestInit): Promise<Response> {
  // Strangers are answered in the language they read; everybody else has one.
  const headers = new Headers(asked.headers)
  const language = chosenLanguage()
  if (language !== undefined) headers.set('accept-language', language)
  const init = { ...asked, headers }
  const first = () => takeEarly(address, init) ?? send(address, init)
  // The sign-in says meanwhile that it waits.
  if (isAboutSigningIn(address) && init.method !== 'GET') return first()
  const response = await retryWhileBusy(first, init.method)
  if (isAboutSigningIn(address)) return response
  const csrf = await renewed(response)
  return csrf === undefined ? response : retryWhileBusy(() => send(address, provenBy(csrf, init)), init.method)
}

/** How a session begins or ends. Whether there is one is asked by those who can do without. */
const isAboutSigningIn = (address: string) => /^\/api\/(auth(\/|\?|$)|system\/install$)/.test(address.slice(url.length))

/** The token of a session with which the request can be sent again, if that is what it lacked. */
async function renewed(response: Response): Promise<string | undefined> {
  if (response.status !== 401 && response.status !== 403) return undefined
  const { key } = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { key?: string }
  switch (key) {
    case 'error.auth':
      return ask('signin')
    case 'error.auth.fresh':
      return ask('confirm')
    case 'error.auth.csrf': // signed in again in another tab
      return client.auth.get().then(
        ({ csrf }) => csrf,
        () => ask('signin'),
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

import { type ApiError, type Details, fail } from '../../platform/errors.ts'
import type { Caller } from '../actor.ts'

/** For this long after authentication, sensitive changes need no further proof. In ms. */
const freshMs = 15 * 60_000

export function isFresh({ session, now }: Caller): boolean {
  return session !== undefined && now !== undefined && now - session.authenticatedAt <= freshMs
}

/** For endpoints of which only some requests are sensitive. A token cannot prove that its owner is present. */
export function mustBeFresh(caller: Caller): void {
  if (!caller.session) throw fail('auth.needsSession')
  if (!isFresh(caller)) throw notFresh()
}

/**
 * Whether the caller has proven a second factor, or has none. Changing factors requires it: otherwise a password alone
 * could replace them.
 */
export function hasProvenSecondFactor({ user, session }: Caller): boolean {
  return user.second_factor === 0 || session?.amr.some(proof => proof !== 'pwd') === true
}

export function notFresh(details: Details = {}): ApiError {
  const challenge = `Bearer realm="quoin", error="insufficient_user_authentication", max_age=${freshMs / 1000}`
  const problem = { type: 'urn:quoin:error.auth.fresh', maxAge: freshMs / 1000 }
  return fail('auth.fresh').with({ headers: { 'www-authenticate': challenge }, problem, details })
}

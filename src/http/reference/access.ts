import type { AnyEndpoint } from '../endpoint.ts'

/** Who may call an endpoint, as it is declared. */
export function describeAccess({ access, fresh, duringForcedSetup, method }: AnyEndpoint): string {
  const sentences = [
    access === 'public'
      ? 'Anyone may call it, without signing in.'
      : access === 'session'
        ? 'Needs an account: a session or an API token.'
        : access === 'reader'
          ? 'Accounts may call it, and strangers as far as `site.access` allows.'
          : `Needs the permission \`${access}\`.`,
    ...(fresh === 'strong' ? ['The caller must have signed in recently, with a second factor if there is one.'] : []),
    ...(fresh === true ? ['The caller must have signed in recently.'] : []),
    ...(duringForcedSetup && method !== 'GET'
      ? ['Allowed while the account must set a new password or second factor.']
      : []),
  ]
  return sentences.join(' ')
}

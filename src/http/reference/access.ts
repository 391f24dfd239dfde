import type { AnyEndpoint } from '../endpoint.ts'

/** Who may call an endpoint, as it is declared. */
export function describeAccess({ access, path, fresh, duringForcedSetup }: AnyEndpoint): string {
  return [
    ...describeCallers(access, path),
    ...(fresh === 'strong' ? ['The sign-in must be recent, with the second factor if there is one.'] : []),
    ...(fresh === true ? ['The sign-in must be recent.'] : []),
    ...(fresh !== undefined && duringForcedSetup
      ? ['Also for accounts that must first set a password or second factor.']
      : []),
  ].join(' ')
}

function describeCallers(access: string, path: string): string[] {
  if (access === 'public') return ['Anyone may call it, without signing in.']
  if (access === 'session') return ['Any account may call it, within its permissions.']
  if (access === 'reader') return ['Any account may call it, and strangers if the site is public.']
  const own = access.startsWith('users.') && path.startsWith('/users/:id') && access !== 'users.create'
  return [`Needs \`${access}\`${own ? `, for the own account \`${access.replace('s.', '.')}\`` : ''}.`]
}

import type { Operation } from './document.ts'

/** Who may call an operation, in a sentence. The document says it with keywords, which it explains once. */
export function describeAccess(operation: Operation): string {
  const fresh = operation['x-fresh']
  return [
    ...describeCallers(operation),
    ...(fresh === 'strong' ? ['The sign-in must be recent, with the second factor if there is one.'] : []),
    ...(fresh === true ? ['The sign-in must be recent.'] : []),
    ...(operation['x-setup'] ? ['Also for accounts that must first set a password or second factor.'] : []),
  ].join(' ')
}

function describeCallers({ 'x-access': access, path }: Operation): string[] {
  if (access === 'public') return ['Anyone may call it, without signing in.']
  if (access === 'session') return ['Any account may call it, within its permissions.']
  if (access === 'reader') return ['Any account may call it, and anonymous clients if the site is public.']
  const own = access.startsWith('users.') && path.startsWith('/api/users/{id}') && access !== 'users.create'
  return [`Needs \`${access}\`${own ? `, for the own account \`${access.replace('s.', '.')}\`` : ''}.`]
}

import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { can, loadSession, session, type User } from '../app/session.ts'
import { t } from '../texts/texts.ts'

/** Without the permissions of the role, which are long. */
const briefUser = {
  id: '', email: '', name: '', username: '', language: '', status: '', role: ['name', 'title'], avatar: ['url'],
} as const // prettier-ignore

export type UserBrief = Awaited<ReturnType<typeof readUsers>>['data'][number]

/** An empty search and no role list all accounts. */
export function readUsers(paging: { page: number; limit: number }, search: string, role: string | null) {
  const query = { ...paging, select: briefUser }
  if (search === '' && role === null) return client.users.list(query)
  return client.users.query(query, {
    ...(search !== '' && { search }),
    ...(role !== null && { filterBy: [{ field: 'role', operator: '==', value: role }] }),
  })
}

const full = {
  ...briefUser,
  role: ['name', 'title', 'description'],
  blueprint: ['name', 'tabs', 'title'],
  content: '',
  options: '',
  revision: '',
} as const

const readUser = (id: string, language: string | undefined) =>
  client.users.get({ id, select: full, ...(language !== undefined && { language }) })

export type UserModel = Awaited<ReturnType<typeof readUser>>

export const userQuery = (id: string, language: string | undefined) =>
  queryOptions({
    queryKey: keys.user(id, 'account', language),
    queryFn: () => readUser(id, language),
  })

/** After any change of an account: invalidates lists, and reloads the session if it is the user's own account. */
export async function userChanged(queryClient: QueryClient, id: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: keys.users })
  const state = session.get()
  if (state.status === 'in' && state.user.id === id) await loadSession()
}

/** Why an action on an account is not permitted, as far as known here. Undefined if it is permitted. */
export function whyForbidden(
  user: UserModel,
  caller: User,
  action: keyof User['permissions']['users'],
): string | undefined {
  if (user.options[action] === true) return undefined
  const own = user.id === caller.id
  const isAdmin = user.role.name === 'admin'
  const callerIsAdmin = caller.role.name === 'admin'
  if (isAdmin && !callerIsAdmin) return t('users.why.admin')
  const allowed = can(caller, own && action !== 'create' ? `user.${action}` : `users.${action}`)
  if (!allowed) return t('users.why.role')
  return isAdmin ? t('users.why.last') : t('users.why.other')
}

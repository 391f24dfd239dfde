import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import type { Blueprint } from '../editor/blueprint.ts'
import { can, loadSession, session, type User } from '../app/session.ts'
import { t } from '../texts/texts.ts'

export interface RoleBrief {
  name: string
  title: string
  description: string | null
}

export interface UserBrief {
  id: string
  email: string
  name: string | null
  username: string
  language: string
  role: RoleBrief
  avatar: { url: string } | null
  status: 'active' | 'disabled' | 'invited'
}

/** Without the permissions of the role, which are long. */
export const briefUser = {
  id: '', email: '', name: '', username: '', language: '', status: '', role: ['name', 'title'], avatar: ['url'],
} // prettier-ignore

export interface UserModel extends UserBrief {
  blueprint: Blueprint
  revision?: number
  content: Record<string, unknown>
  options: Readonly<Record<string, boolean>>
}

const full = {
  ...briefUser,
  role: ['name', 'title', 'description'],
  blueprint: '',
  content: '',
  options: '',
  revision: '',
}

export const userQuery = (id: string, language: string | undefined) =>
  queryOptions({
    queryKey: keys.user(id, 'account', language),
    queryFn: async () =>
      (await client.users.get({
        id,
        select: full,
        ...(language !== undefined && { language }),
      })) as unknown as UserModel,
  })

/** After any change of an account: invalidates lists, and reloads the session if it is the user's own account. */
export async function userChanged(queries: QueryClient, id: string): Promise<void> {
  await queries.invalidateQueries({ queryKey: keys.users })
  const state = session.get()
  if (state.status === 'in' && state.user.id === id) await loadSession()
}

/** Why an action on an account is not permitted, as far as known here. Undefined if it is permitted. */
export function whyNot(user: UserModel, caller: User, action: string): string | undefined {
  if (user.options[action] === true) return undefined
  const own = user.id === caller.id
  const isAdmin = user.role.name === 'admin'
  const callerIsAdmin = (caller.role as { name?: string }).name === 'admin'
  if (isAdmin && !callerIsAdmin) return t('users.why.admin')
  const allowed = can(caller, `${own ? 'user' : 'users'}.${action}` as 'users.delete')
  if (!allowed) return t('users.why.role')
  return isAdmin ? t('users.why.last') : t('users.why.other')
}

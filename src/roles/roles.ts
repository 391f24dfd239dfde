import { type Permissions, permissionsOf } from '../permissions/permissions.ts'

export interface Role {
  name: string
  title: string
  description: string | null
  permissions: Permissions
}

/** The roles of this site. Until blueprints describe more, there is the one that always exists. */
export const roleNames: readonly string[] = ['admin']

/** A role that nobody described (any more) is shown by its name and may nothing. */
export function findRole(name: string): Role {
  const title = name === 'admin' ? 'Administrator' : name
  return { name, title, description: null, permissions: permissionsOf(name) }
}

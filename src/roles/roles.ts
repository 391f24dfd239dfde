import type { App } from '../app.ts'
import type { Text } from '../blueprints/fields/field.ts'
import type { Permissions } from '../permissions/permissions.ts'
import { permissionsOf } from '../session/rights.ts'

export interface Role {
  name: string
  title: Text
  description: Text | null
  permissions: Permissions
}

/** A role that nobody described (any more) is shown by its name and may nothing. */
export function findRole(app: App, name: string): Role {
  const blueprint = app.blueprints.role(name)
  return {
    name,
    title: blueprint?.title ?? name,
    description: blueprint?.description ?? null,
    permissions: permissionsOf(app, name),
  }
}

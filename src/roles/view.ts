import { z } from 'zod'
import { viewOf } from '../http/view.ts'
import { catalogue, type Permissions } from '../permissions/permissions.ts'
import type { Role } from './roles.ts'

export const permissionsSchema = z.object(
  Object.fromEntries(
    Object.entries(catalogue).map(([category, actions]) => [
      category,
      z.object(Object.fromEntries(actions.map(action => [action, z.boolean()]))),
    ]),
  ),
) as unknown as z.ZodType<Permissions>

export const roleView = viewOf<Role>()(
  field => ({
    name: field.value(z.string(), role => role.name),
    title: field.value(z.string(), role => String(role.title)),
    description: field.value(z.string().nullable(), role => role.description as string | null),
    permissions: field.value(permissionsSchema, role => role.permissions),
  }),
  { compact: ['description', 'name', 'title'] },
)

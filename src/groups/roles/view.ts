import { z } from 'zod'
import { viewOf } from '../../http/view.ts'
import { catalogue, impliedActions, type Permissions } from '../../blueprints/permissions/permissions.ts'
import { inLanguage } from '../../platform/translations/translations.ts'
import { namedSchema } from '../../platform/lib/schema-names.ts'
import type { Role } from './roles.ts'

export const permissionsSchema = namedSchema(
  'Permissions',
  z
    .object(
      Object.fromEntries(
        Object.entries(catalogue).map(([category, actions]) => [
          category,
          z.object({
            ...Object.fromEntries(actions.map(action => [action, z.boolean()])),
            ...Object.fromEntries((impliedActions[category] ?? []).map(action => [action, z.boolean().optional()])),
          }),
        ]),
      ),
    )
    .catchall(z.record(z.string(), z.boolean())), // categories of extensions
) as unknown as z.ZodType<Permissions>

export const roleView = viewOf<Role>('Role')(
  field => ({
    name: field.value(z.string(), role => role.name),
    title: field.value(z.string(), (role, { locale }) => inLanguage(role.title, locale)),
    description: field.value(z.string().nullable(), (role, { locale }) =>
      role.description === null ? null : inLanguage(role.description, locale),
    ),
    permissions: field.value(permissionsSchema, role => role.permissions),
  }),
  { compact: ['description', 'name', 'title'] },
)

import { z } from 'zod'
import { viewOf } from '../http/view.ts'
import { findRole } from '../roles/roles.ts'
import { permissionsSchema, roleView } from '../roles/view.ts'
import type { User } from '../session/identify.ts'
import { permissionsOf, permissionsOfCaller } from '../session/rights.ts'

export const userView = viewOf<User>()(
  field => ({
    id: field.value(z.string(), user => user.id),
    uuid: field.value(z.string(), user => `user://${user.id}`),
    email: field.value(z.string(), user => user.email),
    name: field.value(z.string(), user => user.name),
    username: field.value(z.string(), user => user.name || user.email),
    language: field.value(z.string(), user => user.language),
    avatar: field.value(z.null(), () => null),
    role: field.one(roleView, (user, { app }) => findRole(app, user.role)),
    permissions: field.value(permissionsSchema, (user, { app, caller }) =>
      caller.user.id === user.id ? permissionsOfCaller(app, caller) : permissionsOf(app, user.role),
    ),
  }),
  {
    auth: ['avatar', 'permissions', 'email', 'id', 'name', 'role', 'language'],
    compact: ['avatar', 'id', 'email', 'language', 'name', ['role', 'compact'], 'username', 'uuid'],
    default: ['avatar', 'email', 'id', 'language', 'name', 'role', 'username', 'uuid'],
  },
)

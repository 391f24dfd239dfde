import { z } from 'zod'
import { viewOf } from '../http/view.ts'
import { permissionsOf, permissionsOfCaller } from '../permissions/permissions.ts'
import { findRole } from '../roles/roles.ts'
import { permissionsSchema, roleView } from '../roles/view.ts'
import type { User } from '../session/identify.ts'

export const userView = viewOf<User>()(
  field => ({
    id: field.value(z.string(), user => user.id),
    uuid: field.value(z.string(), user => `user://${user.id}`),
    email: field.value(z.string(), user => user.email),
    name: field.value(z.string(), user => user.name),
    username: field.value(z.string(), user => user.name || user.email),
    language: field.value(z.string(), user => user.language),
    avatar: field.value(z.null(), () => null),
    role: field.one(roleView, user => findRole(user.role)),
    permissions: field.value(permissionsSchema, (user, { caller }) =>
      caller.user.id === user.id ? permissionsOfCaller(caller) : permissionsOf(user.role),
    ),
  }),
  {
    auth: ['avatar', 'permissions', 'email', 'id', 'name', 'role', 'language'],
    compact: ['avatar', 'id', 'email', 'language', 'name', ['role', 'compact'], 'username', 'uuid'],
    default: ['avatar', 'email', 'id', 'language', 'name', 'role', 'username', 'uuid'],
  },
)

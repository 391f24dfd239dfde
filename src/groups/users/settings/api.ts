import { z } from 'zod'
import { model } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { namedSchema } from '../../../platform/lib/schema-names.ts'
import { ownUser } from '../target.ts'
import { changeSettings, findSettings, maxBytes } from './settings.ts'

const shown = namedSchema('Settings', z.record(z.string(), z.unknown()))
const name = z
  .string()
  .max(200)
  .regex(/^[\w.:/@-]+$/)

/** What the panel remembers for one person, such as saved views of lists. */
export const settings = {
  get: endpoint({
    method: 'GET',
    path: '/users/:id/settings',
    summary: 'Retrieve the settings of the own account',
    description: 'JSON values by name, such as the saved views of lists in the panel.',
    access: 'session',
    on: ownUser,
    answer: model(shown),
    handler: ({ ctx }) => findSettings(ctx),
  }),

  change: endpoint({
    method: 'PATCH',
    path: '/users/:id/settings',
    summary: 'Change settings of the own account',
    description: 'Replaces the named values; null removes one. All of them take at most 65,536 bytes.',
    access: 'session',
    on: ownUser,
    body: z.record(name, z.unknown()),
    bodyLimit: maxBytes,
    answer: model(shown),
    handler: ({ ctx, body }) => changeSettings(ctx, body),
  }),
}

import { z } from 'zod'
import { personSchema, personSeen } from '../../../content/person.ts'
import { viewOf } from '../../../http/view.ts'
import type { RequestContext } from '../../../http/context.ts'
import type { Database } from '../../../platform/store/schema.ts'
import type { EntryRow } from './queries.ts'
import { mayPurge, mayRestore } from './rights.ts'

/** An entry with the templates of what is in it. */
export interface Entry {
  row: EntryRow
  templates: readonly Pick<Database['trash_templates'], 'kind' | 'template'>[]
}

const day = 24 * 60 * 60_000
const all = [
  'expires',
  'files',
  'id',
  'kind',
  'options',
  'pages',
  'path',
  'template',
  'time',
  'title',
  'user',
  'uuid',
] as const

/** A deletion that can be undone. */
export const entryView = viewOf<Entry>()(
  field => ({
    id: field.value(z.string(), ({ row }) => row.id),
    kind: field.value(z.enum(['page', 'file', 'user']), ({ row }) => row.kind),
    title: field.value(z.string(), ({ row }) => row.title),
    /** Where it was: the id of a page or file, the address of an account. */
    path: field.value(z.string(), ({ row }) => row.path),
    uuid: field.value(z.string(), ({ row }) => row.owner),
    /** The template, or the role. */
    template: field.value(z.string().nullable(), ({ row }) => row.template),
    /** How many pages and files are in it, itself included. */
    pages: field.value(z.int(), ({ row }) => row.pages),
    files: field.value(z.int(), ({ row }) => row.files),
    /** When it was deleted, by whom, and when it will be deleted for good. */
    time: field.value(z.string(), ({ row }) => new Date(row.deleted_at).toISOString()),
    user: field.value(personSchema.nullable(), ({ row: { user, name, email, role } }, ctx) =>
      personSeen(ctx, { id: user, name, email, role }),
    ),
    expires: field.value(z.string(), ({ row }, { app }) =>
      new Date(row.deleted_at + app.config.trash.days * day).toISOString(),
    ),
    /** What the caller may do with it. */
    options: field.value(
      z.object({ delete: z.boolean(), restore: z.boolean() }),
      ({ templates }, ctx: RequestContext) => ({
        delete: mayPurge(ctx, templates),
        restore: mayRestore(ctx, templates),
      }),
    ),
  }),
  { default: all, compact: all },
)

/** What has been restored, and where it is in the API. */
export const restoredSchema = z.object({
  kind: z.enum(['page', 'file', 'user']),
  /** As it is named in addresses: the id of a page, `parent/filename` of a file, the id of an account. */
  id: z.string(),
  uuid: z.string(),
  /** In the panel. */
  link: z.string(),
})

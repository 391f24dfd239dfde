import { z } from 'zod'
import { userSummarySchema, showUserSummary } from '../../../content/user-summary.ts'
import { viewOf } from '../../../http/view.ts'
import type { RequestContext } from '../../../http/context.ts'
import type { Database } from '../../../platform/store/schema.ts'
import type { EntryRow } from './queries.ts'
import { canPurge, canRestore } from '../../../access/authorize/trash.ts'
import { namedSchema } from '../../../platform/lib/schema-names.ts'

/** A trash entry and the templates of everything in it. */
export interface TrashEntry {
  row: EntryRow
  templates: readonly Pick<Database['trash_templates'], 'kind' | 'template'>[]
}

const day = 24 * 60 * 60_000 // ms
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
export const entryView = viewOf<TrashEntry>('TrashEntry')(
  field => ({
    id: field.value(z.string(), ({ row }) => row.id),
    kind: field.value(z.enum(['page', 'file', 'user']), ({ row }) => row.kind),
    title: field.value(z.string(), ({ row }) => row.title),
    /** Its former location: the id of a page or file, the e-mail address of an account. */
    path: field.value(z.string(), ({ row }) => row.path),
    uuid: field.value(z.string(), ({ row }) => row.owner),
    /** The template of a page or file, the role of an account. */
    template: field.value(z.string().nullable(), ({ row }) => row.template),
    /** Number of pages and files in it, including itself. */
    pages: field.value(z.int(), ({ row }) => row.pages),
    files: field.value(z.int(), ({ row }) => row.files),
    /** Time and author of the deletion, and when it is purged. */
    time: field.value(z.string(), ({ row }) => new Date(row.deleted_at).toISOString()),
    user: field.value(userSummarySchema.nullable(), ({ row: { user, name, email, role } }, ctx) =>
      showUserSummary(ctx, { id: user, name, email, role }),
    ),
    expires: field.value(z.string(), ({ row }, { app }) =>
      new Date(row.deleted_at + app.config.trash.days * day).toISOString(),
    ),
    /** What the caller may do with it. */
    options: field.value(
      z.object({ delete: z.boolean(), restore: z.boolean() }),
      ({ templates }, ctx: RequestContext) => ({
        delete: canPurge(ctx, templates),
        restore: canRestore(ctx, templates),
      }),
    ),
  }),
  { default: all, compact: all },
)

/** What was restored, and its new location. */
export const restoredSchema = namedSchema(
  'Restored',
  z.object({
    kind: z.enum(['page', 'file', 'user']),
    /** The id in URLs: the id of a page, `parent/filename` of a file, the id of an account. */
    id: z.string(),
    uuid: z.string(),
    /** The path in the panel. */
    link: z.string(),
  }),
)

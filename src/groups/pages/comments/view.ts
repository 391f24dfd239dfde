import { z } from 'zod'
import { accountOf } from '../../../access/actor.ts'
import { showUserSummary, userSummarySchema } from '../../../content/user-summary.ts'
import type { RequestContext } from '../../../http/context.ts'
import { namedSchema } from '../../../platform/lib/schema-names.ts'
import { isoTime } from '../../../platform/lib/time.ts'
import { ownerOfPage } from '../pages.ts'
import type { PageRow } from '../queries.ts'
import { mentionsIn } from './mentions.ts'
import { type CommentRow, selectAccounts, selectComments } from './queries.ts'

type Account = z.output<typeof userSummarySchema>

/** An interface, because types that are inferred from the schema make those of pages too long for TypeScript. */
export interface Comment {
  id: string
  /** The id of the first comment of its thread. */
  thread: string
  /** The path of a field, such as `text`; empty for the page. */
  field: string
  /** Plain text; `@[id]` mentions an account. */
  text: string
  /** Null if the account is deleted. */
  user: Account | null
  isOwn: boolean
  created: string
  modified: string | null
  /** When the thread was resolved, and by whom; only of its first comment. */
  resolved: string | null
  resolvedBy: Account | null
  /** The accounts in the text, as far as the caller may see them. */
  mentions: Account[]
}

export const commentSchema: z.ZodType<Comment> = namedSchema(
  'Comment',
  z.object({
    id: z.string(),
    thread: z.string(),
    field: z.string(),
    text: z.string(),
    user: userSummarySchema.nullable(),
    isOwn: z.boolean(),
    created: z.string(),
    modified: z.string().nullable(),
    resolved: z.string().nullable(),
    resolvedBy: userSummarySchema.nullable(),
    mentions: z.array(userSummarySchema),
  }),
)

/** All comments of a page, the oldest first. */
export async function commentsOf(ctx: RequestContext, { uuid }: Pick<PageRow, 'uuid'>): Promise<Comment[]> {
  const { store } = ctx.app
  const rows = await selectComments(store, ownerOfPage(uuid))
  const ids = [...new Set(rows.flatMap(({ text }) => mentionsIn(text)))]
  const accounts = new Map((await selectAccounts(store, ids)).map(account => [account.id, account]))
  return rows.map(row => show(ctx, row, accounts))
}

type Accounts = ReadonlyMap<string, Awaited<ReturnType<typeof selectAccounts>>[number]>

function show(ctx: RequestContext, row: CommentRow, accounts: Accounts): Comment {
  const { resolver_id: id, resolver_name: name, resolver_email: email, resolver_role: role } = row
  return {
    id: row.comment,
    thread: row.thread,
    field: row.field,
    text: row.text,
    user: showUserSummary(ctx, row),
    isOwn: row.id !== null && row.id === accountOf(ctx),
    created: isoTime(row.created_at),
    modified: row.modified_at === null ? null : isoTime(row.modified_at),
    resolved: row.resolved_at === null ? null : isoTime(row.resolved_at),
    resolvedBy: showUserSummary(ctx, { id, name, email, role }),
    mentions: mentionsIn(row.text).flatMap(one => {
      const shown = accounts.has(one) ? showUserSummary(ctx, accounts.get(one)!) : null
      return shown?.id === undefined ? [] : [shown]
    }),
  }
}

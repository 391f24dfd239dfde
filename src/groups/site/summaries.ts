/** What events and presence show of accounts and pages. */
import { z } from 'zod'
import { canViewPage } from '../../access/authorize/pages.ts'
import { showUserSummary, userSummarySchema } from '../../content/user-summary.ts'
import type { RequestContext } from '../../http/context.ts'
import { titleOfPage } from '../pages/pages.ts'
import { selectByUuids } from '../pages/queries.ts'
import { linkOfPage } from '../pages/view.ts'
import { avatarView, findAvatar } from '../users/avatar/view.ts'
import type { UserRow } from '../users/users.ts'

export interface Summary {
  title: string
  /** The path in the panel. */
  link: string | null
}

export const userWithAvatarSchema = userSummarySchema.extend({ avatar: z.string().nullable().optional() }).nullable()

/** An account with its avatar, as far as the caller may see it. */
export async function showUserWithAvatar({ user }: { user: UserRow | undefined }, ctx: RequestContext) {
  const summary = user ? showUserSummary(ctx, user) : null
  if (!summary || !('id' in summary)) return summary
  const avatar = await findAvatar(user!, ctx)
  return { ...summary, avatar: avatar ? ((await avatarView.show(ctx, avatar, { select: 'url' })).url ?? null) : null }
}

/** The pages among these owners that the caller may see, by `page://…`. */
export async function summarizePages(ctx: RequestContext, owners: readonly string[]): Promise<Map<string, Summary>> {
  const uuids = uuidsIn(owners, 'page://')
  const found = await selectByUuids(ctx.app.store, await ctx.language(), uuids)
  // Its template may have changed since the event.
  const visible = found.filter(page => canViewPage(ctx, page))
  return new Map(
    visible.map(page => [`page://${page.uuid}`, { title: titleOfPage(ctx.app, page), link: linkOfPage(page) }]),
  )
}

export const uuidsIn = (owners: readonly string[], scheme: string): string[] =>
  owners.flatMap(owner => (owner.startsWith(scheme) ? owner.slice(scheme.length) : []))

import { accountOf } from '../../../access/actor.ts'
import type { RequestContext } from '../../../http/context.ts'
import { idOf, visiblePage } from '../../pages/target.ts'
import { userTarget } from '../../users/target.ts'
import { defaultEvents, type EventPatterns } from './names.ts'
import { type FeedFilter, type Position, selectFeed } from './queries.ts'
import { visibleEvents } from './visible.ts'
import { type FeedEvent, withSubjects } from './subjects.ts'

export interface FeedQuery {
  event?: EventPatterns | undefined
  page?: string | undefined
  user?: string | undefined
  from?: number | undefined
  until?: number | undefined
}

/** One page of the feed, the newest first. */
export async function listEvents(
  ctx: RequestContext,
  query: FeedQuery,
  paging: { before?: Position | undefined; limit: number },
): Promise<{ events: FeedEvent[]; next: Position | undefined }> {
  const filter = await filterOf(ctx, query)
  const { rows, next } = await selectFeed(ctx.app.store, visibleNow(ctx, filter), filter, paging)
  return { events: await withSubjects(ctx, rows), next }
}

/** The feed of one page needs the permission to see it; the whole feed needs the permission to list pages. */
const visibleNow = (ctx: RequestContext, { page }: FeedFilter) => visibleEvents(ctx, { forList: page === undefined })

export async function filterOf(
  ctx: RequestContext,
  { event, page, user: person, ...times }: FeedQuery,
): Promise<FeedFilter> {
  return {
    patterns: event ?? { names: defaultEvents },
    page: page === undefined ? undefined : await uuidOf(ctx, page),
    user: person === undefined ? undefined : await accountIdOf(ctx, person),
    ...times,
  }
}

/** The caller is found also by roles without access to accounts. */
async function accountIdOf(ctx: RequestContext, person: string): Promise<string> {
  const own = person === 'account' ? accountOf(ctx) : undefined
  return own ?? (await userTarget({ ctx, params: { id: person } })).user.id
}

/** A page that was deleted can only be named by its uuid. Its template decides who sees its events. */
async function uuidOf(ctx: RequestContext, page: string): Promise<string> {
  const [, uuid] = /^page:\/\/(.*)$/s.exec(page) ?? []
  return uuid ?? (await visiblePage(ctx, idOf(page))).page.uuid
}

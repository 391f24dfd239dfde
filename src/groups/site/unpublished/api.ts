import { z } from 'zod'
import { accountOf } from '../../../access/actor.ts'
import { listableTemplates, templatesToUpdate } from '../../../access/authorize/pages.ts'
import { collection } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { paginate, pagingQuery } from '../../../http/paging.ts'
import { selectionQuery } from '../../../http/query-schemas.ts'
import { showPages } from '../../pages/children/api.ts'
import { pagesBy } from '../../pages/search/search.ts'
import { pageView } from '../../pages/view.ts'
import { selectPagesInReview, selectPagesWithDrafts, selectScheduledPages } from './queries.ts'

const listing = { ...selectionQuery, ...pagingQuery }

/** Pages of the whole site that have unpublished changes. */
export const drafts = endpoint({
  method: 'GET',
  path: '/site/drafts',
  summary: 'List pages with unpublished changes',
  description:
    'Of the pages that the caller may list and update those with a draft in the language of the request, the last changed first, 500 at most. `select=state` tells whose draft it is.',
  access: 'session',
  cacheable: true,
  query: z.strictObject({
    ...listing,
    user: z.string().min(1).max(320).optional().describe('Whose drafts: the id of an account, or `account`.'),
  }),
  answer: collection(pageView.schema, 'compact'),
  handler: async ({ ctx, query: { user, page, limit, next, ...selection } }) => {
    const { key: language } = await ctx.language()
    const author = user === 'account' ? (accountOf(ctx) ?? '') : user
    const uuids = await selectPagesWithDrafts(ctx.app.store, templatesToUpdate(ctx), { language, user: author })
    return showPages(
      ctx,
      pagesBy(ctx, uuids, total => paginate(total, { page, limit, next })),
      selection,
    )
  },
})

/** Pages of the whole site with a schedule. */
export const schedules = endpoint({
  method: 'GET',
  path: '/site/schedules',
  summary: 'List pages with a schedule',
  description: 'Of the pages that the caller may list those with a schedule, the next one first, 500 at most.',
  access: 'session',
  cacheable: true,
  query: z.strictObject(listing),
  answer: collection(pageView.schema, 'compact'),
  handler: async ({ ctx, query: { page, limit, next, ...selection } }) => {
    const uuids = await selectScheduledPages(ctx.app.store, listableTemplates(ctx))
    return showPages(
      ctx,
      pagesBy(ctx, uuids, total => paginate(total, { page, limit, next })),
      selection,
    )
  },
})

/** Pages of the whole site for which a review was asked. */
export const reviews = endpoint({
  method: 'GET',
  path: '/site/reviews',
  summary: 'List pages that wait for a review',
  description:
    'Of the pages that the caller may list and update those with a review in any language, the oldest first, 500 at most. `select=state` shows the review.',
  access: 'session',
  cacheable: true,
  query: z.strictObject({
    ...listing,
    state: z.enum(['waiting', 'returned']).default('waiting'),
    user: z.string().min(1).max(320).optional().describe('Who asked: the id of an account, or `account`.'),
  }),
  answer: collection(pageView.schema, 'compact'),
  handler: async ({ ctx, query: { state, user, page, limit, next, ...selection } }) => {
    const author = user === 'account' ? (accountOf(ctx) ?? '') : user
    const uuids = await selectPagesInReview(ctx.app.store, templatesToUpdate(ctx), { state, user: author })
    return showPages(
      ctx,
      pagesBy(ctx, uuids, total => paginate(total, { page, limit, next })),
      selection,
    )
  },
})

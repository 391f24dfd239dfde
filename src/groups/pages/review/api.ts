import { z } from 'zod'
import { draftParameters } from '../../../content/versioned.ts'
import { done, model } from '../../../http/answer.ts'
import type { RequestContext } from '../../../http/context.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { languageQuery } from '../../../http/query-schemas.ts'
import { fail } from '../../../platform/errors.ts'
import type { PageRow } from '../queries.ts'
import { pageTarget } from '../target.ts'
import { requestReview, sendBack, withdrawReview } from './review.ts'
import { reviewOf, reviewSchema } from './view.ts'

const query = z.strictObject(languageQuery)
const note = z
  .string()
  .max(2000)
  .transform(text => text.replaceAll('\r\n', '\n').trim())

/** Authors without `pages.publish` ask accounts that have it to publish. */
export const review = {
  get: endpoint({
    method: 'GET',
    path: '/pages/:id/review',
    summary: 'Retrieve the review of a page',
    description: 'Who asked for it, with which note, and whether it waits or was sent back. 404 if there is none.',
    access: 'pages.update',
    on: pageTarget,
    query,
    answer: model(reviewSchema),
    handler: ({ ctx, target }) => shown(ctx, target.page),
  }),

  request: endpoint({
    method: 'POST',
    path: '/pages/:id/review',
    summary: 'Ask for a review of the draft',
    description:
      'Accounts that may publish the page get a mail with the note. The edit lock of the caller ends; the draft can still be changed.',
    access: 'pages.update',
    authorizedByOperation: true,
    on: pageTarget,
    query: z.strictObject({ ...languageQuery, draftRevision: draftParameters.draftRevision }),
    body: z.strictObject({ note: note.default('') }).optional(),
    answer: model(reviewSchema),
    handler: async ({ ctx, target, query: { draftRevision }, body }) => {
      await requestReview(ctx, target.page, { language: await ctx.language(), note: body?.note ?? '', draftRevision })
      return shown(ctx, target.page)
    },
  }),

  sendBack: endpoint({
    method: 'POST',
    path: '/pages/:id/review/return',
    summary: 'Send a draft back to its author',
    description: 'The author gets a mail with the note; the draft stays. It needs `pages.publish`, too.',
    access: 'pages.update',
    authorizedByOperation: true,
    on: pageTarget,
    query,
    body: z.strictObject({ note: note.refine(text => text !== '') }),
    answer: model(reviewSchema),
    handler: async ({ ctx, target, body }) => {
      await sendBack(ctx, target.page, { language: await ctx.language(), note: body.note })
      return shown(ctx, target.page)
    },
  }),

  withdraw: endpoint({
    method: 'DELETE',
    path: '/pages/:id/review',
    summary: 'Withdraw the request for a review',
    description: 'For the account that asked, and for accounts that may publish the page. The draft stays.',
    access: 'pages.update',
    authorizedByOperation: true,
    on: pageTarget,
    query,
    answer: done,
    handler: async ({ ctx, target }) => withdrawReview(ctx, target.page, await ctx.language()),
  }),
}

async function shown(ctx: RequestContext, target: PageRow) {
  const found = await reviewOf(ctx, target)
  if (!found) throw fail('page.review.notFound')
  return found
}

import { z } from 'zod'
import { collection, done, model } from '../../../http/answer.ts'
import type { RequestContext } from '../../../http/context.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { rowsIn, sliced } from '../../../http/list.ts'
import { pagingQuery } from '../../../http/paging.ts'
import { fail } from '../../../platform/errors.ts'
import type { PageRow } from '../queries.ts'
import { pageTarget } from '../target.ts'
import { addComment, changeComment, deleteComment } from './comments.ts'
import { commentSchema, commentsOf } from './view.ts'

const commentText = z
  .string()
  .max(5000)
  .transform(text => text.replaceAll('\r\n', '\n').trim())
  .refine(text => text !== '')

/** Comments on a page and its fields, for accounts that may update the page. */
export const comments = {
  list: endpoint({
    method: 'GET',
    path: '/pages/:id/comments',
    summary: 'List the comments of a page',
    description: 'All threads in one list, the oldest comment first.',
    access: 'pages.update',
    on: pageTarget,
    query: z.strictObject(pagingQuery),
    answer: collection(commentSchema),
    handler: async ({ ctx, target, query }) => {
      const slices = sliced(await commentsOf(ctx, target.page), query)
      return { data: await rowsIn(slices), pagination: slices.pagination }
    },
  }),

  create: endpoint({
    method: 'POST',
    path: '/pages/:id/comments',
    summary: 'Comment on a page or a field',
    description:
      'Starts a thread, or replies to `thread`, whose field it has then. Accounts that the text mentions as `@[id]` get a mail.',
    access: 'pages.update',
    authorizedByOperation: true,
    on: pageTarget,
    body: z.strictObject({
      text: commentText,
      /** The path of the field; the page itself if omitted. */
      field: z.string().max(500).default(''),
      /** The id of the first comment of a thread. */
      thread: z.string().max(64).optional(),
    }),
    answer: model(commentSchema),
    handler: async ({ ctx, target, body: { text, field, thread } }) =>
      findComment(ctx, target.page, await addComment(ctx, target.page, { text, field, thread })),
  }),

  change: endpoint({
    method: 'PATCH',
    path: '/pages/:id/comments/:comment',
    summary: 'Change a comment, or resolve its thread',
    description:
      'Only its author may change the text. `resolved` of the first comment resolves the thread or opens it again.',
    access: 'pages.update',
    authorizedByOperation: true,
    on: pageTarget,
    body: z.strictObject({ text: commentText.optional(), resolved: z.boolean().optional() }),
    answer: model(commentSchema),
    handler: async ({ ctx, target, params, body }) => {
      await changeComment(ctx, target.page, params.comment, body)
      return findComment(ctx, target.page, params.comment)
    },
  }),

  delete: endpoint({
    method: 'DELETE',
    path: '/pages/:id/comments/:comment',
    summary: 'Delete a comment',
    description:
      'Deleting the first comment deletes the thread. Deleting comments of other accounts needs `pages.publish`.',
    access: 'pages.update',
    authorizedByOperation: true,
    on: pageTarget,
    answer: done,
    handler: ({ ctx, target, params }) => deleteComment(ctx, target.page, params.comment),
  }),
}

async function findComment(ctx: RequestContext, target: PageRow, id: string) {
  const found = (await commentsOf(ctx, target)).find(comment => comment.id === id)
  if (!found) throw fail('page.comment.notFound')
  return found
}

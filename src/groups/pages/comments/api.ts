import { z } from 'zod'
import { collection, done, model } from '../../../http/answer.ts'
import type { RequestContext } from '../../../http/context.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { rowsIn, sliced } from '../../../http/list.ts'
import { pagingQuery } from '../../../http/paging.ts'
import { fail } from '../../../platform/errors.ts'
import type { PageRow } from '../queries.ts'
import { page } from '../target.ts'
import { addComment, changeComment, deleteComment } from './comments.ts'
import { commentSchema, commentsOf } from './view.ts'

const text = z
  .string()
  .max(5000)
  .transform(typed => typed.replaceAll('\r\n', '\n').trim())
  .refine(typed => typed !== '')

/** What those who may change a page write about it. */
export const comments = {
  list: endpoint({
    method: 'GET',
    path: '/pages/:id/comments',
    summary: 'List the comments of a page',
    description: 'Of all threads, the oldest comment first.',
    access: 'pages.update',
    on: page,
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
    description: 'Begins a thread, or continues `thread`. Accounts that the text mentions as `@[id]` get a mail.',
    access: 'pages.update',
    authorizedByOperation: true,
    on: page,
    body: z.strictObject({
      text,
      /** The path of the field; the page itself if omitted. */
      field: z.string().max(500).default(''),
      /** The id of the first comment of a thread. */
      thread: z.string().max(64).optional(),
    }),
    answer: model(commentSchema),
    handler: async ({ ctx, target, body: { text: typed, field, thread } }) =>
      shown(ctx, target.page, await addComment(ctx, target.page, { text: typed, field, thread })),
  }),

  change: endpoint({
    method: 'PATCH',
    path: '/pages/:id/comments/:comment',
    summary: 'Change a comment, or resolve its thread',
    description: 'Only its author may change the text. `resolved` is for the first comment of a thread.',
    access: 'pages.update',
    authorizedByOperation: true,
    on: page,
    body: z.strictObject({ text: text.optional(), resolved: z.boolean().optional() }),
    answer: model(commentSchema),
    handler: async ({ ctx, target, params, body }) => {
      await changeComment(ctx, target.page, params.comment, body)
      return shown(ctx, target.page, params.comment)
    },
  }),

  delete: endpoint({
    method: 'DELETE',
    path: '/pages/:id/comments/:comment',
    summary: 'Delete a comment',
    description: 'With the first comment its thread is deleted. Comments of others need `pages.publish`.',
    access: 'pages.update',
    authorizedByOperation: true,
    on: page,
    answer: done,
    handler: ({ ctx, target, params }) => deleteComment(ctx, target.page, params.comment),
  }),
}

async function shown(ctx: RequestContext, target: PageRow, id: string) {
  const found = (await commentsOf(ctx, target)).find(one => one.id === id)
  if (!found) throw fail('page.comment.notFound')
  return found
}

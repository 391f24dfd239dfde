import { z } from 'zod'
import { collection, done, model } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import type { RequestContext } from '../../../http/context.ts'
import { showPage } from '../../../http/list.ts'
import { pagingQuery } from '../../../http/paging.ts'
import { selectionQuery } from '../../../http/query-schemas.ts'
import { findEntry, listEntries, purgeTrashEntry, purgeTrash, restoreEntry } from './trash.ts'
import { entryView, restoredSchema } from './view.ts'

const entry = ({ ctx, params }: { ctx: RequestContext; params: { id: string } }) => findEntry(ctx, params.id)

/**
 * Deleted pages, files and accounts that can be restored. Their templates and roles decide who may see, restore and
 * purge them.
 */
export const trash = {
  list: endpoint({
    method: 'GET',
    path: '/site/trash',
    summary: 'List what is in the trash, the latest first',
    description:
      'Deleted pages, files and accounts that the caller may see, and what the caller may do with each. Entries leave the trash after `trash.days`.',
    access: 'session',
    query: z.strictObject({
      ...selectionQuery,
      ...pagingQuery,
      kind: z.enum(['page', 'file', 'user']).optional(),
      /** `page://…`, `file://…` or `user://…`: only deletions of this page, file or account. */
      uuid: z.string().max(200).optional(),
    }),
    answer: collection(entryView.schema),
    handler: async ({ ctx, query: { kind, uuid, ...query } }) => {
      const { page, limit, next } = query
      return showPage(ctx, entryView, await listEntries(ctx, { page, limit, next, kind, owner: uuid }), query)
    },
  }),

  get: endpoint({
    method: 'GET',
    path: '/site/trash/:id',
    summary: 'Retrieve an entry of the trash',
    description: 'What was deleted, by whom and when, what belongs to it, and what the caller may do with it.',
    access: 'session',
    on: entry,
    query: z.strictObject(selectionQuery),
    answer: model(entryView.schema),
    handler: ({ ctx, target, query }) => entryView.show(ctx, target, query),
  }),

  restore: endpoint({
    method: 'POST',
    path: '/site/trash/:id/restore',
    summary: 'Restore a page, a file or an account from the trash',
    description: [
      'Brings it back with everything that was deleted with it, at its former place or at a new `parent`, with a new `slug`, `name` or `email` if the old one is taken.',
      'Needs the permission to create it there.',
    ],
    access: 'session',
    on: entry,
    body: z
      .strictObject({
        /** The id of a new parent page; null for the top level of pages, and for the files of the site. */
        parent: z.string().max(2000).nullish(),
        /** A new slug, for pages. */
        slug: z.string().max(1000).optional(),
        /** A new name without extension, for files. */
        name: z.string().max(500).optional(),
        /** A new e-mail address, for accounts. */
        email: z.string().max(1000).optional(),
      })
      .optional(),
    answer: model(restoredSchema),
    handler: ({ ctx, target, body = {} }) => restoreEntry(ctx, target, body),
  }),

  delete: endpoint({
    method: 'DELETE',
    path: '/site/trash/:id',
    summary: 'Delete an entry of the trash for good',
    description: 'Nothing can bring it back. Needs the permission to delete it.',
    access: 'session',
    on: entry,
    answer: done,
    handler: ({ ctx, target }) => purgeTrashEntry(ctx, target),
  }),

  empty: endpoint({
    method: 'DELETE',
    path: '/site/trash',
    summary: 'Delete everything in the trash for good that the caller may delete',
    description:
      'Nothing can bring it back. Entries that the caller may not delete stay. Answers the number of deleted entries.',
    access: 'session',
    answer: model(z.object({ deleted: z.int() })),
    handler: async ({ ctx }) => ({ deleted: await purgeTrash(ctx) }),
  }),
}

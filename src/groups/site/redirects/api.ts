import { z } from 'zod'
import { collection, done, model } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { showPage } from '../../../http/list.ts'
import { pagingQuery } from '../../../http/paging.ts'
import { selectionQuery } from '../../../http/query-schemas.ts'
import { siteTarget } from '../target.ts'
import { changeRedirect, createRedirect, deleteRedirect, findRedirect, listRedirects } from './redirects.ts'
import { redirectView } from './view.ts'

const selectionSchema = z.strictObject(selectionQuery)

const redirect = {
  path: z
    .string()
    .min(1)
    .max(2000)
    .describe('The old address: a path below `site.url` with the prefix of its language, such as `/de/alt`.'),
  target: z
    .string()
    .min(1)
    .max(2000)
    .describe('Where it leads to: a page (`page://…`), a path of the site, or a URL with `http` or `https`.'),
}

/** Old addresses. Pages that are renamed, moved or deleted leave them by themselves. */
export const redirects = {
  list: endpoint({
    method: 'GET',
    path: '/site/redirects',
    summary: 'List the redirects, the newest first',
    description:
      'Old addresses and where they lead to: those that renamed, moved and deleted pages have left, and those added by hand. `q` searches in both.',
    access: 'site.update',
    on: siteTarget,
    query: z.strictObject({ ...selectionQuery, ...pagingQuery, q: z.string().max(1000).default('') }),
    answer: collection(redirectView.schema),
    handler: async ({ ctx, query }) => showPage(ctx, redirectView, await listRedirects(ctx, query), query),
  }),

  create: endpoint({
    method: 'POST',
    path: '/site/redirects',
    summary: 'Add a redirect',
    description:
      'Leads an address that no page has to a page, a path of the site or a URL. Loops and addresses of published pages are refused.',
    access: 'site.update',
    authorizedByOperation: true,
    on: siteTarget,
    selects: selectionSchema,
    body: z.strictObject(redirect),
    answer: model(redirectView.schema),
    handler: async ({ ctx, body, selection }) =>
      redirectView.show(ctx, await findRedirect(ctx, await createRedirect(ctx, body)), selection),
  }),

  update: endpoint({
    method: 'PATCH',
    path: '/site/redirects/:id',
    summary: 'Change a redirect',
    description: 'Changes the address, the target or both, with the checks of a new one.',
    access: 'site.update',
    authorizedByOperation: true,
    on: siteTarget,
    query: selectionSchema,
    body: z.strictObject({ path: redirect.path.optional(), target: redirect.target.optional() }),
    answer: model(redirectView.schema),
    handler: async ({ ctx, params, body, query }) => {
      await changeRedirect(ctx, params.id, body)
      return redirectView.show(ctx, await findRedirect(ctx, params.id), query)
    },
  }),

  delete: endpoint({
    method: 'DELETE',
    path: '/site/redirects/:id',
    summary: 'Delete a redirect',
    description: 'The address is 404 from then on.',
    access: 'site.update',
    authorizedByOperation: true,
    on: siteTarget,
    answer: done,
    handler: ({ ctx, params }) => deleteRedirect(ctx, params.id),
  }),
}

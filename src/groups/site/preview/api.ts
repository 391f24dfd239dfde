import { z } from 'zod'
import { mustPreviewAll } from '../../../access/authorize/pages.ts'
import { done, model } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { languageQuery } from '../../../http/query-schemas.ts'
import { checkFrame, frameSchema } from '../../pages/preview/frame.ts'
import { previewPassBody, previewPassSchema, createPreviewLink } from '../../pages/preview/api.ts'
import { defaultLifetimeSeconds, revokePassesOf } from '../../pages/preview/preview.ts'
import { siteOwner } from '../site.ts'
import { siteTarget } from '../target.ts'

const query = z.strictObject(languageQuery)

/** Links to the whole site with its unpublished changes. */
export const preview = {
  create: endpoint({
    method: 'POST',
    path: '/site/preview',
    summary: 'Create a link that shows the site with its unpublished changes',
    description:
      'A link to the front end with a token that reads all pages with their drafts until it expires, without an account. The caller must be allowed to preview every template. Needs `site.url`.',
    access: 'pages.preview',
    authorizedByOperation: true,
    on: siteTarget,
    query,
    body: previewPassBody.optional(),
    answer: model(previewPassSchema),
    handler: async ({ ctx, body }) =>
      createPreviewLink(ctx, 'site', (await ctx.language()).siteUrl, body?.lifetime ?? defaultLifetimeSeconds),
  }),

  delete: endpoint({
    method: 'DELETE',
    path: '/site/preview',
    summary: 'Revoke all preview links of the whole site',
    description:
      'Links of the whole site that were given away end at once. Links of single pages and of releases stay.',
    access: 'pages.preview',
    authorizedByOperation: true,
    on: siteTarget,
    answer: done,
    handler: ({ ctx }) => revokePassesOf(ctx, 'site'),
  }),

  check: endpoint({
    method: 'GET',
    path: '/site/preview/check',
    summary: 'Find out whether the panel can show the site in a frame',
    description:
      'Asks the front end for its headers and tells whether a browser would show it inside of the panel. The caller must be allowed to preview every template.',
    access: 'pages.preview',
    on: siteTarget,
    query,
    answer: model(frameSchema),
    handler: async ({ ctx }) => {
      mustPreviewAll(ctx)
      return checkFrame(ctx, siteOwner, (await ctx.language()).siteUrl)
    },
  }),
}

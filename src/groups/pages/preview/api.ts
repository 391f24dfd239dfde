import { z } from 'zod'
import type { RequestContext } from '../../../http/context.ts'
import { done, model } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { languageQuery } from '../../../http/query-schemas.ts'
import { ownerOfPage } from '../pages.ts'
import { pageTarget } from '../target.ts'
import { previewAddress } from '../view.ts'
import { checkFrame, frameSchema } from './frame.ts'
import {
  createPass,
  defaultLifetimeSeconds,
  maxLifetimeSeconds,
  type PreviewSubject,
  revokePassesOf,
  withPass,
} from './preview.ts'
import { namedSchema } from '../../../platform/lib/schema-names.ts'

export const previewPassBody = z.strictObject({
  /** Seconds until the link ends. */
  lifetime: z.int().min(60).max(maxLifetimeSeconds).default(defaultLifetimeSeconds),
})

export const previewPassSchema = namedSchema(
  'PreviewLink',
  z.object({ token: z.string(), url: z.string(), expires: z.string() }),
)

/** A pass for the content language of the request, and the URL that it opens. */
export async function createPreviewLink(ctx: RequestContext, subject: PreviewSubject, url: string, lifetime: number) {
  const { code: language } = await ctx.language()
  const { token, expiresAt } = await createPass(ctx, subject, { language, lifetime, url })
  return { token, url: withPass(url, token), expires: new Date(expiresAt).toISOString() }
}

/** Links to a page with its unpublished changes. */
export const preview = {
  create: endpoint({
    method: 'POST',
    path: '/pages/:id/preview',
    summary: 'Create a link that shows a page with its unpublished changes',
    description:
      'A link to the front end with a token that reads this page with its draft until it expires, without an account. Needs `site.url`.',
    access: 'pages.preview',
    authorizedByOperation: true,
    on: pageTarget,
    query: z.strictObject(languageQuery),
    body: previewPassBody.optional(),
    answer: model(previewPassSchema),
    handler: async ({ ctx, target, body }) =>
      createPreviewLink(
        ctx,
        target.page,
        await previewAddress(ctx, target.page),
        body?.lifetime ?? defaultLifetimeSeconds,
      ),
  }),

  delete: endpoint({
    method: 'DELETE',
    path: '/pages/:id/preview',
    summary: 'Revoke all preview links of a page',
    description: 'Links of this page that were given away end at once. Links of the whole site and of releases stay.',
    access: 'pages.preview',
    authorizedByOperation: true,
    on: pageTarget,
    answer: done,
    handler: ({ ctx, target }) => revokePassesOf(ctx, target.page),
  }),

  check: endpoint({
    method: 'GET',
    path: '/pages/:id/preview/check',
    summary: 'Find out whether the panel can show a page in a frame',
    description:
      'Asks the front end for its headers and tells whether a browser would show the preview of the page inside of the panel.',
    access: 'pages.preview',
    on: pageTarget,
    query: z.strictObject(languageQuery),
    answer: model(frameSchema),
    handler: async ({ ctx, target }) =>
      checkFrame(ctx, ownerOfPage(target.page.uuid), await previewAddress(ctx, target.page)),
  }),
}

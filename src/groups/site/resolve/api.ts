import { z } from 'zod'
import { previewedPage } from '../../../access/actor.ts'
import type { Answer } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { addTags, tagOfAny } from '../../../http/tags.ts'
import { selectionQuery, versionQuery } from '../../../http/query-schemas.ts'
import { fail } from '../../../platform/errors.ts'
import { pageView } from '../../pages/view.ts'
import { resolveAddress } from './resolve.ts'

const redirectSchema = z.object({
  path: z.string().describe('Below `site.url`, percent-encoded; a URL if it leads to another site.'),
  url: z.string(),
  status: z.literal(301),
})

const shape = { code: z.literal(200), language: z.string().nullable(), status: z.literal('ok') }
const found = z.object({ ...shape, data: pageView.schema, type: z.literal('model') })
const gone = z.object({ ...shape, redirect: redirectSchema, type: z.literal('redirect') })

type Page = z.output<typeof pageView.schema>
type Redirect = z.output<typeof redirectSchema>
type ResolvedAddress = { language: string | null } & ({ data: Page } | { redirect: Redirect })

/** The HTTP status is 200 for a redirect, too: HTTP clients would follow a 301, to an address of another server. */
const answer: Answer<ResolvedAddress, z.output<typeof found> | z.output<typeof gone>> = {
  schemas: {
    200: z.object({
      ...shape,
      data: pageView.schema.optional(),
      redirect: redirectSchema.optional(),
      type: z.enum(['model', 'redirect']),
    }),
  },
  wrap: value => ({
    status: 200,
    json:
      'data' in value
        ? { code: 200, ...value, status: 'ok', type: 'model' }
        : { code: 200, ...value, status: 'ok', type: 'redirect' },
  }),
}

export const resolve = endpoint({
  method: 'GET',
  path: '/site/resolve',
  summary: 'Find the page at an address of the site, or where it has gone',
  description:
    'For front ends: one call per visit. Answers the page at a path in its language, or the redirect of a page that was renamed, moved or deleted; the HTTP status is 200 for both, and 404 if there is neither.',
  access: 'reader',
  cacheable: true,
  isTagged: true,
  query: z.strictObject({
    ...selectionQuery,
    ...versionQuery,
    path: z
      .string()
      .min(1)
      .max(2000)
      .describe(
        'Below `site.url`, such as `/de/notizen/tinte`, or a full URL of the site. Query and fragment are ignored.',
      ),
    language: selectionQuery.language.describe('Only for a path without the prefix of a language.'),
  }),
  answer,
  handler: async ({ ctx, query: { path, language, ...selection } }) => {
    const resolved = await resolveAddress(ctx, path, language)
    if (!resolved && previewedPage(ctx.actor) !== undefined) throw fail('auth')
    if (!resolved) throw fail('page.notFound', { id: path.slice(0, 200) })
    // The cache tags of the answer are recorded in this context; they depend on its language.
    ctx.language = () => resolved.language
    const code = resolved.language.code ?? null
    if (!resolved.page) addTags(ctx, () => [tagOfAny])
    if (!resolved.page) return { language: code, redirect: { ...resolved.location, status: 301 as const } }
    return { language: code, data: await pageView.show(ctx, resolved.page, selection) }
  },
})

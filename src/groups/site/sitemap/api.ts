import { z } from 'zod'
import { answer } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { pagingQuery } from '../../../http/paging.ts'
import { listAddresses, type SitemapSlice } from './sitemap.ts'

const schema = z.object({
  code: z.literal(200),
  data: z.array(
    z.object({
      url: z.string().describe('In the default language.'),
      alternates: z.array(z.object({ language: z.string(), url: z.string() })),
      modified: z.string(),
    }),
  ),
  pagination: z.object({
    limit: z.int(),
    next: z.string().nullable().describe('Send it as `after` to go on; null after the last one.'),
  }),
  status: z.literal('ok'),
  type: z.literal('collection'),
})

export const sitemap = endpoint({
  method: 'GET',
  path: '/site/sitemap',
  summary: 'List the addresses of the listed pages, for a sitemap',
  description:
    'The URLs of all listed pages with their translations and times, up to 1000 at a time; go on with `after`.',
  access: 'reader',
  cacheable: true,
  query: z.strictObject({
    limit: pagingQuery.limit,
    after: z.string().max(2000).default('').describe('The `next` of the pagination before.'),
    pretty: z.string().optional(),
  }),
  answer: answer<SitemapSlice & { limit: number }, typeof schema>(schema, ({ entries, next, limit }) => ({
    code: 200,
    data: entries,
    pagination: { limit, next },
    status: 'ok',
    type: 'collection',
  })),
  handler: async ({ ctx, query: { limit, after } }) => ({ ...(await listAddresses(ctx, { after, limit })), limit }),
})

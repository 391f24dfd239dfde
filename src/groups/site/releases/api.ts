import { z } from 'zod'
import { collection, done, model } from '../../../http/answer.ts'
import type { RequestContext } from '../../../http/context.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { showSlices } from '../../../http/list.ts'
import { paginate, pagingQuery } from '../../../http/paging.ts'
import { languageQuery } from '../../../http/query-schemas.ts'
import { fail } from '../../../platform/errors.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { previewPassBody, previewPassSchema, createPreviewLink } from '../../pages/preview/api.ts'
import { defaultLifetimeSeconds } from '../../pages/preview/preview.ts'
import { scheduleTime } from '../../pages/schedule/api.ts'
import { siteTarget } from '../target.ts'
import { publishRelease } from './publish.ts'
import * as queries from './queries.ts'
import { changeRelease, createRelease, deleteRelease, maxItems, type RequestedItem } from './releases.ts'
import { releaseSchema, showReleases } from './view.ts'

const query = z.strictObject(languageQuery)

const item = z.strictObject({
  uuid: z.string().min(1).max(100).describe('A page (`page://…`), a file (`file://…`) or the site (`site://`).'),
  action: z.enum(['publish', 'delete']).default('publish'),
  status: z.enum(['draft', 'unlisted', 'listed']).nullish().describe('The status that the page gets.'),
})

const name = z.string().min(1).max(200)
const add = z.array(item).max(maxItems).optional().describe('Replaces items of the same page or file.')
const revision = z.int().min(0).optional()

const requested = (items: readonly z.output<typeof item>[] | undefined): RequestedItem[] | undefined =>
  items?.map(({ uuid: owner, action, status = null }) => ({ owner, action, status }))

/** Changes of many pages that are published in one transaction. */
export const releases = {
  list: endpoint({
    method: 'GET',
    path: '/site/releases',
    summary: 'List the releases',
    description: 'Those that are not published come first. Items that the caller may not see are left out.',
    access: 'session',
    query: z.strictObject({ ...languageQuery, ...pagingQuery }),
    answer: collection(releaseSchema),
    handler: async ({ ctx, query: paging }) => {
      const { store } = ctx.app
      const pagination = paginate(await queries.countReleases(store), paging)
      const read = (slice: { offset: number; limit: number }) => queries.selectReleases(store, slice)
      return showSlices({ pagination, read }, rows => showReleases(ctx, rows))
    },
  }),

  create: endpoint({
    method: 'POST',
    path: '/site/releases',
    summary: 'Create a release',
    description: 'Gathers changes under a name. Each item needs the permission of its change.',
    access: 'pages.update',
    authorizedByOperation: true,
    query,
    body: z.strictObject({ name, add }),
    answer: model(releaseSchema),
    handler: async ({ ctx, body }) =>
      showRelease(ctx, await createRelease(ctx, { name: body.name, add: requested(body.add) })),
  }),

  get: endpoint({
    method: 'GET',
    path: '/site/releases/:release',
    summary: 'Retrieve a release',
    description: 'The release with its items, and why they were refused last.',
    access: 'session',
    query,
    answer: model(releaseSchema),
    handler: ({ ctx, params }) => showRelease(ctx, params.release),
  }),

  update: endpoint({
    method: 'PATCH',
    path: '/site/releases/:release',
    summary: 'Change a release, or schedule it',
    description:
      'Adds and removes items, renames it, or sets the time (`at`) at which it is published with the permissions of the caller. Scheduling, and every change of a scheduled release, needs `pages.publish` on all pages.',
    access: 'pages.update',
    authorizedByOperation: true,
    query,
    body: z.strictObject({
      name: name.optional(),
      at: scheduleTime.nullish().describe('Null removes the time.'),
      add,
      remove: z.array(z.string().max(100)).max(maxItems).optional(),
      revision,
    }),
    answer: model(releaseSchema),
    handler: async ({ ctx, params, body: { at: due, add: items, ...body } }) => {
      await changeRelease(ctx, params.release, { ...body, due, add: requested(items) })
      return showRelease(ctx, params.release)
    },
  }),

  delete: endpoint({
    method: 'DELETE',
    path: '/site/releases/:release',
    summary: 'Delete a release',
    description: 'Pages and drafts stay as they are.',
    access: 'pages.update',
    authorizedByOperation: true,
    answer: done,
    handler: ({ ctx, params }) => deleteRelease(ctx, params.release),
  }),

  publish: endpoint({
    method: 'POST',
    path: '/site/releases/:release/publish',
    summary: 'Publish a release',
    description:
      'Publishes all items in one transaction; needs `pages.publish` on every page. One refused item holds the release: 409 names it, and nothing is published. With `check`, it only finds out which items would be refused.',
    access: 'pages.update',
    authorizedByOperation: true,
    query,
    body: z.strictObject({ check: z.boolean().optional(), revision }).optional(),
    answer: model(releaseSchema),
    handler: async ({ ctx, params, body }) => {
      await publishRelease(ctx, params.release, { revision: body?.revision, isCheck: body?.check ?? false })
      return showRelease(ctx, params.release)
    },
  }),

  preview: endpoint({
    method: 'POST',
    path: '/site/releases/:release/preview',
    summary: 'Create a link that shows the site with a release',
    description:
      'A link to the front end with a token that reads the site as if the release were published, until it expires. The caller must be allowed to preview every template.',
    access: 'pages.preview',
    authorizedByOperation: true,
    on: siteTarget,
    query,
    body: previewPassBody.optional(),
    answer: model(previewPassSchema),
    handler: async ({ ctx, params, body }) => {
      const { siteUrl } = await ctx.language()
      const release = async (tx: Tx) => {
        if (!(await queries.lockRelease(tx, params.release))) throw fail('release.notFound', { id: params.release })
        return params.release
      }
      return createPreviewLink(ctx, { release }, siteUrl, body?.lifetime ?? defaultLifetimeSeconds)
    },
  }),
}

async function findRelease({ app: { store } }: RequestContext, id: string): Promise<queries.ReleaseRow> {
  const row = await queries.selectRelease(store, id)
  if (!row) throw fail('release.notFound', { id })
  return row
}

async function showRelease(ctx: RequestContext, id: string) {
  return (await showReleases(ctx, [await findRelease(ctx, id)]))[0]!
}

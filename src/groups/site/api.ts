import { z } from 'zod'
import { blueprintView } from '../../content/blueprint.ts'
import { collectionBody } from '../../content/collection.ts'
import { contentResource } from '../../content/resource.ts'
import { revisionBody, sendRevision, withoutRevision, withoutTitle } from '../../content/revision.ts'
import type { FindRequest, Versioned } from '../../content/versioned.ts'
import { versionsOf } from '../../content/versions.ts'
import { strictQuery } from '../../content/strict.ts'
import { fail } from '../../platform/errors.ts'
import { collection, model } from '../../http/answer.ts'
import { isAllowed } from '../../access/authorize/authorize.ts'
import { addTags } from '../../http/tags.ts'
import { tagOfChildren } from '../pages/tags.ts'
import { endpoint, mount } from '../../http/endpoint.ts'
import { paginate, pagingQuery } from '../../http/paging.ts'
import { selectionQuery, versionQuery } from '../../http/query-schemas.ts'
import { listing, newPageBody, readNewPage, refuseUnknownInNew, showNewPage, showPages } from '../pages/children/api.ts'
import { findAny, listChildren, searchChildren } from '../pages/children/list.ts'
import { queryChildren } from '../pages/children/query.ts'
import { createPage } from '../pages/create.ts'
import { findPages, pagesBy } from '../pages/search/search.ts'
import { pageView } from '../pages/view.ts'
import { searchFiles } from './all-files/api.ts'
import { events } from './events/api.ts'
import { files } from './files.ts'
import { library } from './library/api.ts'
import { presence } from './presence/api.ts'
import { preview } from './preview/api.ts'
import { redirects } from './redirects/api.ts'
import { releases } from './releases/api.ts'
import { resolve } from './resolve/api.ts'
import { selectSite } from './queries.ts'
import { querySite, searchedStatuses } from './search.ts'
import { changeTitle, lockSite, siteModelOf, ruledSite, titleMustBeValid, updateSite } from './site.ts'
import { sitemap } from './sitemap/api.ts'
import { siteTarget } from './target.ts'
import { trash } from './trash/api.ts'
import { drafts, reviews, schedules } from './unpublished/api.ts'
import { siteView } from './view.ts'

const selectionSchema = z.strictObject(selectionQuery)

const { readChange, respondWithUpdated, versioned } = contentResource({
  view: siteView,
  modelOf: siteModelOf,
  reload: ctx => selectSite(ctx.app.store),
  revisionOf: row => row.revision,
})
const pagesListing = { ...selectionQuery, ...pagingQuery, ...versionQuery }

/** The top-level pages. Their own blueprints decide who sees them. */
const children = {
  list: endpoint({
    method: 'GET',
    path: '/site/children',
    summary: 'List the pages at the top of the site',
    description:
      'The pages of the first level that the caller may list, in their order. `status` chooses `published`, `listed`, `unlisted`, `draft` or `all`.',
    access: 'reader',
    cacheable: true,
    isTagged: true,
    query: z.strictObject(listing),
    answer: collection(pageView.schema, 'compact'),
    handler: async ({ ctx, query }) => {
      addTags(ctx, () => [tagOfChildren('')])
      return showPages(ctx, await listChildren(ctx, '', query), query)
    },
  }),

  create: endpoint({
    method: 'POST',
    path: '/site/children',
    summary: 'Create a page at the top of the site',
    description:
      'Creates a page as a draft, or published with `draft: false`, in the default language. Without `slug` it is made from the title. The blueprint of the site decides which templates it accepts.',
    access: 'pages.create',
    authorizedByOperation: true,
    selects: z.strictObject({ ...selectionQuery, ...strictQuery }),
    body: newPageBody,
    answer: model(pageView.schema),
    handler: async ({ ctx, exchange, selection, body }) => {
      await refuseUnknownInNew(ctx, selection.strict, body)
      const uuid = await createPage(ctx, '', await readNewPage(ctx, body))
      return showNewPage(ctx, uuid, selection, revision => sendRevision(exchange, revision))
    },
  }),

  search: endpoint({
    method: 'GET',
    path: '/site/children/search',
    summary: 'Find pages at the top of the site by words',
    description:
      'Full-text search among the pages of the first level, the best first. Drafts are found only if `status` asks for them.',
    access: 'reader',
    cacheable: true,
    query: z.strictObject({ ...listing, q: z.string().max(1000).default('') }),
    answer: collection(pageView.schema, 'compact'),
    handler: async ({ ctx, query }) => showPages(ctx, await searchChildren(ctx, '', query), query),
  }),

  query: endpoint({
    method: 'POST',
    path: '/site/children/search',
    summary: 'Find pages at the top of the site by filters, words and order',
    description:
      'Filters, searches and sorts the pages of the first level by what the body says, and changes nothing. Unknown fields and operators are 400.',
    access: 'reader',
    readsAll: true,
    query: z.strictObject(listing),
    body: collectionBody,
    answer: collection(pageView.schema, 'compact'),
    handler: async ({ ctx, query, body = {} }) => showPages(ctx, await queryChildren(ctx, '', body, query), query),
  }),
}

const own = {
  get: endpoint({
    method: 'GET',
    path: '/site',
    summary: 'Retrieve the site',
    description:
      'The site with its title and content in the language of the request. The `ETag` of the answer has the revision, for `If-Match` of a later change.',
    access: 'reader',
    cacheable: true,
    isTagged: true,
    on: siteTarget,
    query: z.strictObject({ ...selectionQuery, ...versionQuery }),
    answer: model(siteView.schema),
    handler: async ({ ctx, exchange, target: { site: row }, query }) => {
      sendRevision(exchange, row.revision)
      return siteView.show(ctx, row, query)
    },
  }),

  update: endpoint({
    method: 'PATCH',
    path: '/site',
    summary: 'Update the content of the site',
    description:
      'Publishes the sent fields; fields that are not sent stay. All rules of the blueprint are checked. Adds a version to the history.',
    access: 'site.update',
    authorizedByOperation: true,
    on: siteTarget,
    query: z.strictObject({ ...selectionQuery, ...strictQuery }),
    body: z.record(z.string().min(1).max(100), z.unknown()).default({}),
    answer: model(siteView.schema),
    handler: async request => {
      const { ctx, app, body } = request
      const { sent: all, revision } = withoutRevision(body, app.blueprints.site())
      const canChangeTitle = isAllowed(ctx, 'site.changeTitle', request.target)
      const { sent, title } = canChangeTitle ? withoutTitle(all) : { sent: all }
      const change = {
        ...(await readChange(request, sent)),
        title: title === undefined ? undefined : titleMustBeValid(title),
      }
      return respondWithUpdated(request, revision, expected => updateSite(ctx, { ...change, expected }))
    },
  }),

  blueprint: endpoint({
    method: 'GET',
    path: '/site/blueprint',
    summary: 'Retrieve the blueprint of the site',
    description: 'The form of the site: tabs, sections and fields, with texts in the language of the caller.',
    access: 'session',
    on: siteTarget,
    query: selectionSchema,
    answer: model(blueprintView.schema),
    handler: ({ ctx, app, query }) =>
      blueprintView.show(ctx, { blueprint: app.blueprints.site(), link: '/site' }, query),
  }),

  changeTitle: endpoint({
    method: 'PATCH',
    path: '/site/title',
    summary: 'Change the title of the site',
    description: 'Changes the title in the language of the request.',
    access: 'site.changeTitle',
    authorizedByOperation: true,
    on: siteTarget,
    query: selectionSchema,
    body: z.strictObject({ title: z.string().max(1000), ...revisionBody }),
    answer: model(siteView.schema),
    handler: async request => {
      const { ctx, body } = request
      const language = await ctx.language()
      return respondWithUpdated(request, body.revision, expected =>
        changeTitle(ctx, body.title, { language, expected }),
      )
    },
  }),

  children,
}

const searches = {
  search: endpoint({
    method: 'GET',
    path: '/site/search',
    summary: 'Find pages of the whole site by words',
    description:
      'Full-text search in titles and contents of all pages, the best first. Drafts are found only if `status` asks for them.',
    access: 'reader',
    cacheable: true,
    query: z.strictObject({ ...listing, q: z.string().max(1000).default('') }),
    answer: collection(pageView.schema, 'compact'),
    handler: async ({ ctx, query: { q, page, limit, next, status, ...query } }) =>
      showPages(ctx, await findPages(ctx, { q, page, limit, next, statuses: searchedStatuses(ctx, status) }), query),
  }),

  query: endpoint({
    method: 'POST',
    path: '/site/search',
    summary: 'Find pages of the whole site by filters, words and order',
    description:
      'Filters, searches and sorts all pages by what the body says: `search`, `filterBy`, `sortBy`, `not`, `limit`, `offset`, `paginate`. Changes nothing. Unknown fields and operators are 400.',
    access: 'reader',
    readsAll: true,
    query: z.strictObject(listing),
    body: collectionBody,
    answer: collection(pageView.schema, 'compact'),
    handler: async ({ ctx, query: { status, ...query }, body = {} }) =>
      showPages(ctx, await querySite(ctx, body, { ...query, status }), query),
  }),

  find: endpoint({
    method: 'POST',
    path: '/site/find',
    summary: 'Retrieve published pages by their ids',
    description:
      'The published pages among the ids of the body, in this order. Ids that do not exist, and drafts, are left out; if none is left, 404.',
    access: 'reader',
    query: z.strictObject(pagesListing),
    body: z.array(z.string().min(1).max(2000)).max(1000),
    answer: collection(pageView.schema, 'compact'),
    handler: async ({ ctx, query, body }) => {
      const [first] = body
      const found = await findAny(ctx, body)
      if (found.length === 0)
        throw first === undefined ? fail('notFound') : fail('page.notFound', { id: first.slice(0, 200) })
      return showPages(
        ctx,
        pagesBy(ctx, found, total => paginate(total, query)),
        query,
      )
    },
  }),
}

const versions = mount(
  '/site',
  versionsOf<object>({ access: 'site.update', find: versionedSite, findToRead: versionedSite }),
)

/** A named type: the inferred one is longer than TypeScript serializes (TS7056). */
type Site = typeof own &
  typeof searches & {
    events: typeof events
    files: typeof files
    library: typeof library
    presence: typeof presence
    preview: typeof preview
    redirects: typeof redirects
    releases: typeof releases
    resolve: typeof resolve
    searchFiles: typeof searchFiles
    sitemap: typeof sitemap
    trash: typeof trash
    drafts: typeof drafts
    reviews: typeof reviews
    schedules: typeof schedules
  } & typeof versions

/** The site, and operations on all of its pages. */
export const site: Site = {
  ...own,
  ...searches,
  drafts,
  events,
  files,
  library,
  presence,
  preview,
  redirects,
  releases,
  resolve,
  reviews,
  searchFiles,
  schedules,
  sitemap,
  trash,
  ...versions,
}

async function versionedSite(request: FindRequest<object>): Promise<Versioned> {
  const { app, ctx } = request
  const found = await siteTarget(request)
  return versioned(ctx, found, {
    lock: async (tx, refusal) => ({
      revision: await lockSite(ctx, tx, ['site.update'], refusal),
      model: siteModelOf(app),
      canChangeTitle: isAllowed(ctx, 'site.changeTitle', found),
    }),
    update: change => updateSite(ctx, change),
    ruled: () => ruledSite(found.site.revision),
  })
}

import { z } from 'zod'
import { collectionBody } from '../../../content/collection.ts'
import { sendRevision } from '../../../content/revision.ts'
import { refuseUnknown, type Strict, strictQuery } from '../../../content/strict.ts'
import { isDefault } from '../../../content/languages/languages.ts'
import { visibleReferences } from '../../../content/visible.ts'
import { collection, model } from '../../../http/answer.ts'
import { addTags } from '../../../http/tags.ts'
import { tagOfChildren } from '../tags.ts'
import { endpoint } from '../../../http/endpoint.ts'
import type { RequestContext } from '../../../http/context.ts'
import { showPage } from '../../../http/list.ts'
import { pagingQuery } from '../../../http/paging.ts'
import { selectionQuery, versionQuery } from '../../../http/query-schemas.ts'
import type { Selection } from '../../../http/view.ts'
import { createPage, type NewPage } from '../create.ts'
import { pageModelOf, reloadPage } from '../pages.ts'
import { cachePage } from '../related.ts'
import { templateOf } from '../rules.ts'
import { pageTarget } from '../target.ts'
import { pageView } from '../view.ts'
import { type FoundPages, listChildren, searchChildren } from './list.ts'
import { queryChildren } from './query.ts'

export const listing = { ...selectionQuery, ...pagingQuery, ...versionQuery, status: z.string().max(20).optional() }

const ignored = z.unknown().optional()

/** The body of a request that creates a page. */
export const newPageBody = z.strictObject({
  slug: z.string().max(1000).optional(),
  title: z.string().max(1000).optional(),
  template: z.string().min(1).max(100).optional(),
  content: z.record(z.string().min(1).max(100), z.unknown()).optional(),
  draft: z.boolean().optional(),
  /** Alias of `draft`. */
  isDraft: z.boolean().optional(),
  // Some clients send these. They are derived from the other properties, so they are ignored.
  num: ignored,
  parent: ignored,
  url: ignored,
})

type NewPageBody = z.output<typeof newPageBody>

/** The pages below a page. */
export const children = {
  list: endpoint({
    method: 'GET',
    path: '/pages/:id/children',
    summary: 'List the pages below a page',
    description:
      'The pages directly below the page that the caller may list, in their order. `status` chooses `published`, `listed`, `unlisted`, `draft` or `all`.',
    access: 'reader',
    cacheable: true,
    isTagged: true,
    on: pageTarget,
    query: z.strictObject(listing),
    answer: collection(pageView.schema, 'compact'),
    handler: async ({ ctx, target, query }) => {
      addTags(ctx, () => [tagOfChildren(target.page.path)])
      return showPages(ctx, await listChildren(ctx, target.page.uuid, query), query)
    },
  }),

  create: endpoint({
    method: 'POST',
    path: '/pages/:id/children',
    summary: 'Create a page below a page',
    description:
      'Creates a page as a draft, or published with `draft: false`, in the default language. Without `slug` it is made from the title. The parent decides which templates it accepts.',
    access: 'pages.create',
    authorizedByOperation: true,
    on: pageTarget,
    query: z.strictObject({ ...selectionQuery, ...strictQuery }),
    body: newPageBody,
    answer: model(pageView.schema),
    handler: async ({ ctx, exchange, target, query, body }) => {
      await refuseUnknownInNew(ctx, query.strict, body)
      const uuid = await createPage(ctx, target.page.uuid, {
        ...(await readNewPage(ctx, body)),
        parentPath: target.page.path,
      })
      cachePage(ctx, target.page) // the view shows the parent, so it is not read again
      return showNewPage(ctx, uuid, query, revision => sendRevision(exchange, revision))
    },
  }),

  search: endpoint({
    method: 'GET',
    path: '/pages/:id/children/search',
    summary: 'Find pages below a page by words',
    description:
      'Full-text search among the pages directly below the page, the best first. Drafts are found only if `status` asks for them.',
    access: 'reader',
    cacheable: true,
    on: pageTarget,
    query: z.strictObject({ ...listing, q: z.string().max(1000).default('') }),
    answer: collection(pageView.schema, 'compact'),
    handler: async ({ ctx, target, query }) =>
      showPages(ctx, await searchChildren(ctx, target.page.uuid, query), query),
  }),

  query: endpoint({
    method: 'POST',
    path: '/pages/:id/children/search',
    summary: 'Find pages below a page by filters, words and order',
    description:
      'Filters, searches and sorts the pages directly below the page by what the body says: `search`, `filterBy`, `sortBy`, `not`, `limit`, `offset`, `paginate`. Changes nothing. Unknown fields and operators are 400.',
    access: 'reader',
    readsAll: true,
    on: pageTarget,
    query: z.strictObject(listing),
    body: collectionBody,
    answer: collection(pageView.schema, 'compact'),
    handler: async ({ ctx, target, query, body = {} }) =>
      showPages(ctx, await queryChildren(ctx, target.page.uuid, body, query), query),
  }),
}

export const showPages = (ctx: RequestContext, found: FoundPages, query: Selection) =>
  showPage(ctx, pageView, found, query, 'compact')

/** The new page, with the targets of references in its content as far as the caller may see them. */
export async function readNewPage(ctx: RequestContext, body: NewPageBody): Promise<NewPage> {
  const { slug, title, template, content = {}, draft, isDraft } = body
  const shownReferences = await visibleReferences(ctx, newModel(ctx, body), content)
  const language = await ctx.language()
  return {
    slug,
    title,
    template,
    content,
    shownReferences,
    draft: (draft ?? isDraft) !== false,
    // New pages are created in the default language.
    ...(isDefault(language) && language.unknown === undefined && { language }),
  }
}

const newModel = ({ app }: RequestContext, { template }: NewPageBody) =>
  pageModelOf(app, { uuid: '', template: templateOf(app, template) })

export function refuseUnknownInNew(ctx: RequestContext, strict: Strict, body: NewPageBody): Promise<void> {
  return refuseUnknown(ctx, strict, newModel(ctx, body), body.content)
}

/** In the default language, because new pages are created in it. */
export async function showNewPage(
  ctx: RequestContext,
  uuid: string,
  query: Selection,
  onRead: (revision: number) => void,
) {
  const created = await reloadPage(ctx.app, uuid, await ctx.language())
  onRead(created.revision)
  return pageView.show(ctx, created, query)
}

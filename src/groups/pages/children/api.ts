import { z } from 'zod'
import type { App } from '../../../app.ts'
import { collectionBody } from '../../../content/collection.ts'
import { sendRevision } from '../../../content/revision.ts'
import { refuseUnknown, type Strict, strictQuery } from '../../../content/strict.ts'
import { visibleTo } from '../../../content/visible.ts'
import { fail } from '../../../platform/errors.ts'
import { collection, model } from '../../../http/answer.ts'
import { allowed } from '../../../http/authenticate.ts'
import { endpoint, type PermissionTarget } from '../../../http/endpoint.ts'
import type { RequestContext } from '../../../http/context.ts'
import { showPage } from '../../../http/listed.ts'
import { pagingQuery } from '../../../http/paging.ts'
import { type Selection, selectionQuery } from '../../../http/view.ts'
import type { HttpExchange } from '../../../access/session/exchange.ts'
import { by, type Caller } from '../../../access/session/identify.ts'
import { createPage } from '../create.ts'
import { modelOf, reloadPage } from '../pages.ts'
import { noteSeen } from '../related.ts'
import { seeing } from '../rights.ts'
import { templateOf } from '../rules.ts'
import { isVisible, page, type PageTarget } from '../target.ts'
import { pageView } from '../view.ts'
import { type Found, listChildren, searchChildren } from './list.ts'
import { queryChildren } from './query.ts'

export const listing = { ...selectionQuery, ...pagingQuery, status: z.string().max(20).optional() }

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
    access: 'session',
    cacheable: true,
    on: page,
    query: z.strictObject(listing),
    answer: collection(pageView.schema),
    handler: async ({ ctx, target, query }) => showPages(ctx, await listChildren(ctx, target.page.uuid, query), query),
  }),

  create: endpoint({
    method: 'POST',
    path: '/pages/:id/children',
    summary: 'Create a page below a page',
    access: 'pages.create',
    on: async request => ({ ...(await page(request)), ...(await newPage(request)) }) satisfies PageTarget,
    query: z.strictObject({ ...selectionQuery, ...strictQuery }),
    body: newPageBody,
    answer: model(pageView.schema),
    handler: async ({ ctx, app, exchange, target, query, body }) => {
      await refuseUnknownInNew(ctx, query.strict, body)
      const uuid = await createPage(app, target.page.uuid, readNewPage(body), await newPageBy(ctx, exchange, body))
      noteSeen(ctx, target.page) // the view shows the parent, so it is not read again
      return showNewPage(ctx, uuid, query, revision => sendRevision(exchange, revision))
    },
  }),

  search: endpoint({
    method: 'GET',
    path: '/pages/:id/children/search',
    summary: 'Find pages below a page by words',
    access: 'session',
    cacheable: true,
    on: page,
    query: z.strictObject({ ...listing, q: z.string().max(1000).default('') }),
    answer: collection(pageView.schema),
    handler: async ({ ctx, target, query }) =>
      showPages(ctx, await searchChildren(ctx, target.page.uuid, query), query),
  }),

  query: endpoint({
    method: 'POST',
    path: '/pages/:id/children/search',
    summary: 'Find pages below a page by filters, words and order',
    access: 'session',
    on: page,
    query: z.strictObject(listing),
    body: collectionBody,
    answer: collection(pageView.schema),
    handler: async ({ ctx, target, query, body = {} }) =>
      showPages(ctx, await queryChildren(ctx, target.page.uuid, body, query), query),
  }),
}

export const showPages = (ctx: RequestContext, found: Found, query: Selection) =>
  showPage(ctx, pageView, found, query, 'compact')

/**
 * The permission target for a page that does not exist yet: the blueprint of its template decides who may create and
 * publish it.
 */
export async function newPage({
  app,
  caller,
  body,
}: {
  app: App
  caller: Caller | undefined
  body: NewPageBody
}): Promise<PermissionTarget> {
  const template = templateOf(app, body.template)
  const { options } = app.blueprints.page(template)
  if (!isVisible(app, caller!, options))
    throw body.template === undefined
      ? fail('page.create.permission')
      : fail('page.template.invalid', { template: body.template })
  if (isPublished(body) && !allowed(app, caller!, 'pages.create', { options })) throw fail('page.create.permission')
  if (isPublished(body) && !allowed(app, caller!, 'pages.changeStatus', { options }))
    throw fail('page.changeStatus.permission')
  return { options }
}

const isPublished = ({ draft, isDraft }: NewPageBody) => (draft ?? isDraft) === false

export function readNewPage(body: NewPageBody) {
  const { slug, title, template, content } = body
  return { slug, title, template, content, draft: !isPublished(body) }
}

export function refuseUnknownInNew(
  ctx: RequestContext,
  strict: Strict,
  { template, content }: NewPageBody,
): Promise<void> {
  return refuseUnknown(ctx, strict, modelOf(ctx.app, { uuid: '', template: templateOf(ctx.app, template) }), content)
}

/** The actor, their locale, and what they may see: pages, and the targets of references in the new content. */
export async function newPageBy(ctx: RequestContext, exchange: HttpExchange, { template, content = {} }: NewPageBody) {
  const { app, caller } = ctx
  const newModel = modelOf(app, { uuid: '', template: templateOf(app, template) })
  return {
    by: by(caller, exchange),
    readBy: caller.user.language,
    sees: seeing(ctx),
    visible: await visibleTo(ctx, newModel, content),
  }
}

/** In the default language, because new pages are created in it. */
export async function showNewPage(
  ctx: RequestContext,
  uuid: string,
  query: Selection,
  noted: (revision: number) => void,
) {
  const made = await reloadPage(ctx.app, uuid, await ctx.language())
  noted(made.revision)
  return pageView.show(ctx, made, query)
}

import { z } from 'zod'
import type { App } from '../../app.ts'
import { pageBlueprintView } from '../../content/blueprint.ts'
import {
  expectedRevision,
  withCurrentOnConflict,
  revisionBody,
  sendRevision,
  withoutRevision,
  withoutTitle,
} from '../../content/revision.ts'
import { strictQuery } from '../../content/strict.ts'
import { filesOf } from '../files/api.ts'
import { done, model } from '../../http/answer.ts'
import { isAllowed, contextForFileParent } from '../../access/authorize/authorize.ts'
import { endpoint, mount } from '../../http/endpoint.ts'
import type { RequestContext } from '../../http/context.ts'
import { intOrText } from '../../http/paging.ts'
import { languageQuery, selectionQuery, versionQuery } from '../../http/query-schemas.ts'
import { statuses } from '../../blueprints/blueprints.ts'
import { children, showNewPage } from './children/api.ts'
import { comments } from './comments/api.ts'
import { deletePage } from './delete.ts'
import { duplicatePage } from './duplicate.ts'
import { pageFileParent } from './files.ts'
import { movePage } from './move.ts'
import { pageBlueprintOf, pageContentIn } from './pages.ts'
import { preview } from './preview/api.ts'
import { publishBody, draftToPublish } from './publish.ts'
import { readChange, respondWithUpdated, show } from './resource.ts'
import { review } from './review/api.ts'
import { sectionsMustBeComplete } from './sections.ts'
import { plainTitle } from './rules.ts'
import { cachePage } from './related.ts'
import { schedule } from './schedule/api.ts'
import { changeSlug } from './slug.ts'
import { slugInContent } from './slugs/slugs.ts'
import { changeStatus } from './status.ts'
import { idOf, pageTarget, visiblePage } from './target.ts'
import { changeTemplate } from './template.ts'
import { changeTitle, updatePage } from './update.ts'
import { versions } from './versions.ts'
import { blueprintModelOf, pageFileView, pageView } from './view.ts'

const selectionSchema = z.strictObject({ ...selectionQuery })

const own = {
  get: endpoint({
    method: 'GET',
    path: '/pages/:id',
    summary: 'Retrieve a page',
    description: [
      'A page with its content in the language of the request. A page that the caller may not see is 404, as if it did not exist; anonymous clients see published pages only.',
      'The `ETag` of the answer has the revision, for `If-Match` of a later change.',
    ],
    access: 'reader',
    cacheable: true,
    isTagged: true,
    on: pageTarget,
    query: z.strictObject({ ...selectionQuery, ...versionQuery }),
    answer: model(pageView.schema),
    handler: async ({ ctx, exchange, target, query }) => {
      sendRevision(exchange, target.page.revision)
      cachePage(ctx, target.page) // files in its content have it as parent
      return pageView.show(ctx, target.page, query)
    },
  }),

  update: endpoint({
    method: 'PATCH',
    path: '/pages/:id',
    summary: 'Update the content of a page',
    description: [
      'Publishes the sent fields (on a published page, it needs `pages.publish`, too); fields that are not sent stay. `null` keeps a value, an empty text clears it. All rules of the blueprint are checked, and nothing is stored if one is broken.',
      'Fields leave the draft of the caller; the edit lock of another account refuses it with 423. Adds a version to the history.',
    ],
    access: 'pages.update',
    authorizedByOperation: true,
    on: pageTarget,
    query: z.strictObject({ ...selectionQuery, ...strictQuery }),
    body: z.record(z.string().min(1).max(100), z.unknown()).default({}),
    answer: model(pageView.schema),
    handler: async request => {
      const { ctx, app, target, body } = request
      const { sent: fields, revision } = withoutRevision(body, pageBlueprintOf(app, target.page))
      const language = await ctx.language()
      const slug = await slugInContent(ctx, language, target.page)
      const all = pageContentIn({ uuid: target.page.uuid, slug }, fields)
      const titled = withoutTitle(all)
      const canChangeTitle = titled.title === undefined || isAllowed(ctx, 'pages.changeTitle', target)
      const { sent, title } = canChangeTitle ? titled : { sent: all }
      const change = {
        ...(await readChange(request, sent)),
        title: title === undefined ? undefined : plainTitle(title),
      }
      return respondWithUpdated(request, revision, expected => updatePage(ctx, target.page, { ...change, expected }))
    },
  }),

  delete: endpoint({
    method: 'DELETE',
    path: '/pages/:id',
    summary: 'Delete a page',
    description: [
      'Moves the page with everything below it, its files, drafts, translations and history to the trash, from where it can be restored for `trash.days`.',
      'A page with pages below it needs `force`. `successor` is the page that the old addresses redirect to.',
    ],
    access: 'pages.delete',
    authorizedByOperation: true,
    on: pageTarget,
    query: z.strictObject(languageQuery),
    body: z
      .strictObject({
        force: z.boolean().optional(),
        successor: z
          .string()
          .min(1)
          .max(2000)
          .optional()
          .describe('The id of the page that the addresses of the deleted pages redirect to.'),
        ...revisionBody,
      })
      .optional(),
    answer: done,
    handler: async ({ ctx, exchange, target, body }) => {
      const expected = expectedRevision(exchange, body?.revision)
      const { force, successor: id } = body ?? {}
      const successor = id === undefined ? undefined : (await visiblePage(ctx, idOf(id))).page.uuid
      await withCurrentOnConflict(
        () => deletePage(ctx, target.page, { expected, force, successor }),
        () => show(ctx, target),
      )
    },
  }),

  blueprint: endpoint({
    method: 'GET',
    path: '/pages/:id/blueprint',
    summary: 'Retrieve the blueprint of a page',
    description:
      'The form of the page: tabs, sections and fields, with texts in the language of the caller, and what the caller may do.',
    access: 'session',
    on: pageTarget,
    query: selectionSchema,
    answer: model(pageBlueprintView.schema),
    handler: ({ ctx, target, query }) => pageBlueprintView.show(ctx, blueprintModelOf(target.page, ctx), query),
  }),

  children,

  duplicate: endpoint({
    method: 'POST',
    path: '/pages/:id/duplicate',
    summary: 'Duplicate a page',
    description:
      'Creates a draft beside the page with its content in all languages; with `children` and `files` also with these. The copy gets a free slug and new uuids. Answers the new page.',
    access: 'pages.duplicate',
    authorizedByOperation: true,
    on: pageTarget,
    query: selectionSchema,
    body: z
      .strictObject({
        slug: z.string().max(1000).optional(),
        title: z.string().max(1000).optional(),
        children: z.boolean().optional(),
        files: z.boolean().optional(),
      })
      .optional(),
    answer: model(pageView.schema),
    handler: async ({ ctx, exchange, target, query, body = {} }) => {
      const uuid = await duplicatePage(ctx, target.page, { ...body, language: await ctx.language() })
      return showNewPage(ctx, uuid, query, revision => sendRevision(exchange, revision))
    },
  }),

  changeSlug: endpoint({
    method: 'PATCH',
    path: '/pages/:id/slug',
    summary: 'Change the slug of a page',
    description: [
      'Changes the last part of the address, in the language of the request. Addresses of all pages below it change with it; the old ones redirect to the new ones.',
      'The default language changes the id of the page, too.',
    ],
    access: 'pages.changeSlug',
    authorizedByOperation: true,
    on: pageTarget,
    query: selectionSchema,
    body: z.strictObject({ slug: z.string().max(1000), ...revisionBody }),
    answer: model(pageView.schema),
    handler: async request => {
      const { ctx, target, body } = request
      const language = await ctx.language()
      return respondWithUpdated(request, body.revision, expected =>
        changeSlug(ctx, target.page, body.slug, { language, expected }),
      )
    },
  }),

  changeStatus: endpoint({
    method: 'PATCH',
    path: '/pages/:id/status',
    summary: 'Change the status of a page, or its position',
    description: [
      'Publishes the page (`listed` or `unlisted`) or makes it a `draft` again, and puts it at a `position` among its listed siblings. A draft is published only if its content follows the rules of the blueprint.',
      'Needs `pages.changeStatus` and `pages.publish`, or `pages.sort` if a listed page stays listed. `publishChanges` publishes the draft of its content in the same transaction, and needs `pages.update` and `pages.publish`, too.',
    ],
    access: 'session',
    on: pageTarget,
    query: selectionSchema,
    body: z.strictObject({
      status: z.enum(statuses),
      position: intOrText(z.int().min(0).max(1_000_000_000)).nullish(),
      ...publishBody,
      ...revisionBody,
    }),
    answer: model(pageView.schema),
    handler: async request => {
      const { ctx, target, body } = request
      const { status, position } = body
      const publish = await draftToPublish(ctx, body)
      if (target.page.status === 'draft' && status !== 'draft') await sectionsMustBeComplete(ctx, target.page)
      const change = { status, position: position ?? undefined, publish }
      return respondWithUpdated(request, body.revision, expected =>
        changeStatus(ctx, target.page, { ...change, expected }),
      )
    },
  }),

  changeTemplate: endpoint({
    method: 'PATCH',
    path: '/pages/:id/template',
    summary: 'Change the template of a page',
    description:
      'Gives the page another blueprint, one of those that its blueprint allows. Values of fields that both have stay, others are no longer shown; the history keeps them.',
    access: 'pages.changeTemplate',
    authorizedByOperation: true,
    on: pageTarget,
    query: selectionSchema,
    body: z.strictObject({ template: z.string().min(1).max(100), ...revisionBody }),
    answer: model(pageView.schema),
    handler: request => {
      const { ctx, target, body } = request
      return respondWithUpdated(request, body.revision, expected =>
        changeTemplate(ctx, target.page, body.template, { expected }),
      )
    },
  }),

  changeTitle: endpoint({
    method: 'PATCH',
    path: '/pages/:id/title',
    summary: 'Change the title of a page',
    description: 'Changes the title in the language of the request. The slug stays.',
    access: 'pages.changeTitle',
    authorizedByOperation: true,
    on: pageTarget,
    query: selectionSchema,
    body: z.strictObject({ title: z.string().max(1000), ...revisionBody }),
    answer: model(pageView.schema),
    handler: async request => {
      const { ctx, target, body } = request
      const language = await ctx.language()
      return respondWithUpdated(request, body.revision, expected =>
        changeTitle(ctx, target.page, body.title, { language, expected }),
      )
    },
  }),

  move: endpoint({
    method: 'PATCH',
    path: '/pages/:id/move',
    summary: 'Move a page to another place',
    description: [
      'Moves the page with everything below it to another parent, or to the top of the site. Old addresses redirect to the new ones.',
      'The parent must accept the template; another parent also needs `pages.create`, another slug `pages.changeSlug`.',
    ],
    access: 'pages.move',
    authorizedByOperation: true,
    on: pageTarget,
    query: selectionSchema,
    body: z.strictObject({
      /** The id of the new parent; null or omitted for the top level. */
      parent: z.string().max(2000).nullable(),
      slug: z.string().max(1000).optional(),
      /** Among the listed pages there; needs `pages.sort`. */
      position: z.int().min(1).optional(),
      ...revisionBody,
    }),
    answer: model(pageView.schema),
    handler: async request => {
      const { ctx, target, body } = request
      const parent = body.parent ? (await visiblePage(ctx, idOf(body.parent))).page.uuid : ''
      return respondWithUpdated(request, body.revision, expected =>
        movePage(ctx, target.page, { parent, slug: body.slug, position: body.position, expected }),
      )
    },
  }),
}

const files = mount(
  '/pages/:id',
  filesOf({
    find: async (request: { app: App; ctx: RequestContext; params: { id: string } }) =>
      pageFileParent((await pageTarget({ ...request, ctx: contextForFileParent(request.ctx) })).page, request.app),
    view: pageFileView,
  }),
)

/** A named type: the inferred one is longer than TypeScript serializes (TS7056). */
type Pages = typeof own & {
  comments: typeof comments
  files: typeof files
  preview: typeof preview
  review: typeof review
  schedule: typeof schedule
} & typeof versions

/** The tree of pages. `:id` is the path with `+` for its slashes, or `@` and the uuid. */
export const pages: Pages = { ...own, comments, files, preview, review, schedule, ...versions }

import { z } from 'zod'
import type { App } from '../app.ts'
import { pageBlueprintView } from '../content/blueprint.ts'
import {
  type Expected,
  expectedRevision,
  orCurrent,
  revisionBody,
  sendRevision,
  withoutRevision,
  withoutTitle,
} from '../content/revision.ts'
import { visibleTo } from '../content/visible.ts'
import { refuseUnknown, strictQuery } from '../content/strict.ts'
import { filesOf } from '../files/api.ts'
import { done, model } from '../http/answer.ts'
import { allowed } from '../http/door.ts'
import { endpoint, mount } from '../http/endpoint.ts'
import type { Look } from '../http/look.ts'
import { intOrText } from '../http/paging.ts'
import { languageQuery, type Selection, selectionQuery } from '../http/view.ts'
import type { Exchange } from '../session/exchange.ts'
import { by, type Caller } from '../session/identify.ts'
import { reachingFiles } from '../session/rights.ts'
import { statuses } from '../blueprints/blueprints.ts'
import { children, showNewPage } from './children/api.ts'
import { deletePage } from './delete.ts'
import { duplicatePage } from './duplicate.ts'
import { fileParent } from './files.ts'
import { movePage } from './move.ts'
import { blueprintOf, contentIn, modelOf, readAgain } from './pages.ts'
import { publishBody, publishIn } from './publish.ts'
import type { PageRow } from './queries.ts'
import {
  mayCreate,
  mayCreateFile,
  mayDelete,
  mayDeleteFile,
  mayHaveStatus,
  mayMove,
  sectionsMustBeComplete,
  seeing,
  seeingFile,
  stillMay,
} from './rights.ts'
import { plainTitle, type Sees } from './rules.ts'
import { schedule } from './schedule/api.ts'
import { changeSlug } from './slug.ts'
import { slugInContent } from './slugs/slugs.ts'
import { changeStatus } from './status.ts'
import { idOf, page, type PageTarget, visiblePage } from './target.ts'
import { changeTemplate } from './template.ts'
import { changeTitle, updatePage } from './update.ts'
import { versions } from './versions.ts'
import { describe, pageFileView, pageView } from './view.ts'

const selection = z.strictObject({ ...selectionQuery })

const own = {
  get: endpoint({
    method: 'GET',
    path: '/pages/:id',
    summary: 'Retrieve a page',
    access: 'session',
    steady: true,
    on: page,
    query: selection,
    answer: model(pageView.schema),
    handler: async ({ look, exchange, target, query }) => {
      sendRevision(exchange, target.page.revision)
      return pageView.show(look, target.page, query)
    },
  }),

  update: endpoint({
    method: 'PATCH',
    path: '/pages/:id',
    summary: 'Update the content of a page',
    access: 'pages.update',
    on: page,
    query: z.strictObject({ ...selectionQuery, ...strictQuery }),
    body: z.record(z.string().min(1).max(100), z.unknown()).default({}),
    answer: model(pageView.schema),
    handler: async request => {
      const { look, app, caller, target, body } = request
      const { sent: given, revision } = withoutRevision(body, blueprintOf(app, target.page))
      const all = contentIn({ uuid: target.page.uuid, slug: await slugInContent(look, target.page) }, given)
      const { sent, title } = allowed(app, caller, 'pages.changeTitle', target) ? withoutTitle(all) : { sent: all }
      refuseUnknown(request.query.strict, modelOf(app, target.page), sent, caller.user.language)
      const change = {
        language: await look.language(),
        sent,
        visible: await visibleTo(look, modelOf(app, target.page), sent),
        title: title === undefined ? undefined : plainTitle(title),
        readBy: caller.user.language,
        check: title === undefined ? stillMay(look, 'update') : stillMay(look, 'update', 'changeTitle'),
      }
      return changed(request, revision, how => updatePage(app, target.page, { ...change, ...how }))
    },
  }),

  delete: endpoint({
    method: 'DELETE',
    path: '/pages/:id',
    summary: 'Delete a page',
    access: 'pages.delete',
    on: page,
    query: z.strictObject(languageQuery),
    body: z.strictObject({ force: z.boolean().optional(), ...revisionBody }).optional(),
    answer: done,
    handler: async ({ look, app, exchange, caller, target, body }) => {
      const may = { mayDelete: mayDelete(look), mayDeleteFile: mayDeleteFile(look) }
      const how = { by: by(caller, exchange), expected: expectedRevision(exchange, body?.revision) }
      await orCurrent(
        () => deletePage(app, target.page, { ...how, ...may, force: body?.force }),
        () => again(look, target.page),
      )
    },
  }),

  blueprint: endpoint({
    method: 'GET',
    path: '/pages/:id/blueprint',
    summary: 'Retrieve the blueprint of a page',
    access: 'session',
    on: page,
    query: selection,
    answer: model(pageBlueprintView.schema),
    handler: ({ look, target, query }) => pageBlueprintView.show(look, describe(target.page, look), query),
  }),

  children,

  duplicate: endpoint({
    method: 'POST',
    path: '/pages/:id/duplicate',
    summary: 'Duplicate a page',
    access: 'pages.duplicate',
    on: page,
    query: selection,
    body: z
      .strictObject({
        slug: z.string().max(1000).optional(),
        title: z.string().max(1000).optional(),
        children: z.boolean().optional(),
        files: z.boolean().optional(),
      })
      .optional(),
    answer: model(pageView.schema),
    handler: async ({ look, app, exchange, caller, target, query, body = {} }) => {
      const uuid = await duplicatePage(app, target.page, {
        ...body,
        language: await look.language(),
        by: by(caller, exchange),
        check: stillMay(look, 'duplicate'),
        sees: seeing(look),
        mayCreate: mayCreate(look),
        seesFile: seeingFile(look),
        mayCreateFile: mayCreateFile(look),
      })
      return showNewPage(look, uuid, query, revision => sendRevision(exchange, revision))
    },
  }),

  changeSlug: endpoint({
    method: 'PATCH',
    path: '/pages/:id/slug',
    summary: 'Change the slug of a page',
    access: 'pages.changeSlug',
    on: page,
    query: selection,
    body: z.strictObject({ slug: z.string().max(1000), ...revisionBody }),
    answer: model(pageView.schema),
    handler: async request => {
      const { look, app, target, body } = request
      const change = { language: await look.language(), check: stillMay(look, 'changeSlug') }
      return changed(request, body.revision, how => changeSlug(app, target.page, body.slug, { ...change, ...how }))
    },
  }),

  changeStatus: endpoint({
    method: 'PATCH',
    path: '/pages/:id/status',
    summary: 'Change the status of a page, or its position',
    access: 'session',
    on: async request => {
      const target = await page(request)
      mayHaveStatus(request.look, target.page, request.body.status)
      return target
    },
    query: selection,
    body: z.strictObject({
      status: z.enum(statuses),
      position: intOrText(z.int().min(0).max(1_000_000_000)).nullish(),
      ...publishBody,
      ...revisionBody,
    }),
    answer: model(pageView.schema),
    handler: async request => {
      const { look, app, caller, target, body } = request
      const { status, position } = body
      const publish = await publishIn(look, body)
      if (target.page.status === 'draft' && status !== 'draft') await sectionsMustBeComplete(look, target.page)
      return changed(request, body.revision, how =>
        changeStatus(app, target.page, {
          status,
          position: position ?? undefined,
          readBy: caller.user.language,
          check: now => {
            mayHaveStatus(look, now, status)
            if (publish) stillMay(look, 'update')(now)
          },
          publish,
          ...how,
        }),
      )
    },
  }),

  changeTemplate: endpoint({
    method: 'PATCH',
    path: '/pages/:id/template',
    summary: 'Change the template of a page',
    access: 'pages.changeTemplate',
    on: page,
    query: selection,
    body: z.strictObject({ template: z.string().min(1).max(100), ...revisionBody }),
    answer: model(pageView.schema),
    handler: request => {
      const { look, app, target, body } = request
      const check = stillMay(look, 'changeTemplate')
      return changed(request, body.revision, how => changeTemplate(app, target.page, body.template, { ...how, check }))
    },
  }),

  changeTitle: endpoint({
    method: 'PATCH',
    path: '/pages/:id/title',
    summary: 'Change the title of a page',
    access: 'pages.changeTitle',
    on: page,
    query: selection,
    body: z.strictObject({ title: z.string().max(1000), ...revisionBody }),
    answer: model(pageView.schema),
    handler: async request => {
      const { look, app, target, body } = request
      const change = { language: await look.language(), check: stillMay(look, 'changeTitle') }
      return changed(request, body.revision, how => changeTitle(app, target.page, body.title, { ...change, ...how }))
    },
  }),

  move: endpoint({
    method: 'PATCH',
    path: '/pages/:id/move',
    summary: 'Move a page to another place',
    access: 'pages.move',
    on: page,
    query: selection,
    body: z.strictObject({
      /** The id of a page; null or nothing for the top. */
      parent: z.string().max(2000).nullable(),
      slug: z.string().max(1000).optional(),
      ...revisionBody,
    }),
    answer: model(pageView.schema),
    handler: async request => {
      const { look, app, target, body } = request
      const parent = body.parent ? (await visiblePage(look, idOf(body.parent))).page.uuid : ''
      const check = mayMove(look)
      return changed(request, body.revision, how =>
        movePage(app, target.page, { parent, slug: body.slug }, { ...how, check }),
      )
    },
  }),
}

const files = mount(
  '/pages/:id',
  filesOf({
    find: async (request: { app: App; look: Look; params: { id: string } }) =>
      fileParent((await page({ ...request, look: reachingFiles(request.look) })).page, request.app),
    view: pageFileView,
  }),
)

/** Said by name: written out it would be longer than the compiler writes types. */
type Pages = typeof own & { files: typeof files; schedule: typeof schedule } & typeof versions

/** The tree of pages. `:id` is the path with `+` for its slashes, or `@` and the uuid. */
export const pages: Pages = { ...own, files, schedule, ...versions }

interface Request {
  look: Look
  exchange: Exchange
  caller: Caller
  target: PageTarget
  query: Selection
}

/** The page as it is after a change. Whoever comes too late is shown it, too. */
async function changed(
  { look, exchange, caller, target, query }: Request,
  seen: number | undefined,
  work: (how: { by: ReturnType<typeof by>; expected: Expected; sees: Sees }) => Promise<number>,
) {
  const how = { by: by(caller, exchange), expected: expectedRevision(exchange, seen), sees: seeing(look) }
  await orCurrent(
    () => work(how),
    () => again(look, target.page),
  )
  const now = await readAgain(look.app, target.page.uuid, await look.language())
  sendRevision(exchange, now.revision)
  return pageView.show(look, now, query)
}

async function again(look: Look, { uuid }: PageRow) {
  return pageView.show(look, await readAgain(look.app, uuid, await look.language()))
}

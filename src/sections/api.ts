import { z } from 'zod'
import { blueprintView } from '../content/blueprint.ts'
import { fail } from '../errors.ts'
import { blueprintOf as fileBlueprintOf } from '../files/blueprint.ts'
import { sortBody } from '../files/sorting.ts'
import { type FileTarget, findFile } from '../files/target.ts'
import { answer, done, model } from '../http/answer.ts'
import { allowed } from '../http/door.ts'
import { endpoint, mount } from '../http/endpoint.ts'
import type { Look } from '../http/look.ts'
import { pagingQuery } from '../http/paging.ts'
import { languageQuery, selectionQuery } from '../http/view.ts'
import { fileParent as ofPage } from '../pages/files.ts'
import { blueprintOf as pageBlueprintOf } from '../pages/pages.ts'
import { templatesOffered } from '../pages/rules.ts'
import { page, type PageTarget } from '../pages/target.ts'
import { by } from '../session/identify.ts'
import { fileParent as ofSite, site } from '../site/target.ts'
import { fileParent as ofUser } from '../users/files.ts'
import { user, type UserTarget } from '../users/target.ts'
import { noUserOfFiles } from '../users/users.ts'
import { blueprintOf as userBlueprintOf, linkOf as linkOfUser } from '../users/view.ts'
import { showTemplates, templatesIn } from './blueprints.ts'
import { fieldOf } from './choices.ts'
import { showSection, type Shown, sortSection } from './sections.ts'
import type { Viewer } from './viewer.ts'

/** `{ status, code, name, type, … }`: what else there is depends on the type. */
const section = answer(
  z.object({ status: z.literal('ok'), code: z.literal(200), name: z.string(), type: z.string() }).catchall(z.unknown()),
  (shown: Shown) => ({ status: 'ok' as const, code: 200 as const, ...shown }),
)
const sectionQuery = z.strictObject({
  ...languageQuery,
  page: pagingQuery.page,
  next: pagingQuery.next,
  searchterm: z.string().max(1000).optional(),
})

const templates = answer(
  z.array(z.object({ name: z.string(), title: z.string() })),
  (value: { name: string; title: string }[]) => value,
)
interface FileRequest {
  look: Look
  params: { id: string; filename: string }
}

const templatesQuery = z.strictObject({ section: z.string().max(100).optional(), pretty: z.string().optional() })

// ---- pages

async function fileOfPage({ look, params }: FileRequest): Promise<FileTarget> {
  return findFile(look, ofPage((await page({ look, params })).page, look.app), params.filename)
}

/** To be added to the endpoints of pages. */
export const pageSections = {
  blueprints: endpoint({
    method: 'GET',
    path: '/pages/:id/blueprints',
    summary: 'List the templates that a page can have, or the pages of one of its sections',
    access: 'session',
    on: page,
    query: templatesQuery,
    answer: templates,
    handler: async ({ look, app, target, query: { section: name } }) => {
      if (name === undefined) return showTemplates(look, templatesOffered(app, target.page))
      const found = templatesIn(app, pageBlueprintOf(app, target.page), name)
      if (!found) throw fail('section.notFound', { name })
      return showTemplates(look, found)
    },
  }),

  section: endpoint({
    method: 'GET',
    path: '/pages/:id/sections/:name',
    summary: 'Retrieve a section of a page',
    access: 'session',
    on: page,
    query: sectionQuery,
    answer: section,
    handler: ({ look, target, params, query }) => showSection(viewPage(look, target), params.name, query),
  }),

  sortSection: endpoint({
    method: 'PATCH',
    path: '/pages/:id/sections/:name/sort',
    summary: 'Sort the files of a section of a page',
    access: 'session',
    on: page,
    query: z.strictObject(languageQuery),
    body: sortBody,
    answer: done,
    handler: ({ look, exchange, caller, target, params, body }) =>
      sortSection(viewPage(look, target), params.name, body, by(caller, exchange)),
  }),

  fileSection: endpoint({
    method: 'GET',
    path: '/pages/:id/files/:filename/sections/:name',
    summary: 'Retrieve a section of a file of a page',
    access: 'session',
    on: fileOfPage,
    query: sectionQuery,
    answer: section,
    handler: ({ look, target, params, query }) => showSection(viewFile(look, target), params.name, query),
  }),

  ...mount(
    '/pages/:id',
    fieldOf(async ({ look, params }) => viewPage(look, await page({ look, params }))),
  ),
  fileField: mount(
    '/pages/:id/files/:filename',
    fieldOf(async request => viewFile(request.look, await fileOfPage(request))),
  ).field,
}

function viewPage(look: Look, { page: row, options }: PageTarget): Viewer {
  return {
    look,
    subject: { kind: 'page', row },
    blueprint: pageBlueprintOf(look.app, row),
    mayUpdate: allowed(look.app, look.caller, 'pages.update', { options }),
  }
}

// ---- the site

async function fileOfSite({ look, params }: { look: Look; params: { filename: string } }): Promise<FileTarget> {
  return findFile(look, ofSite((await site(look)).site, look.app), params.filename)
}

export const siteSections = {
  blueprints: endpoint({
    method: 'GET',
    path: '/site/blueprints',
    summary: 'List the templates of the pages that can be made at the top, or in one section of the site',
    access: 'session',
    on: site,
    query: templatesQuery,
    answer: templates,
    handler: async ({ look, app, query }) =>
      showTemplates(look, templatesIn(app, app.blueprints.site(), query.section) ?? []),
  }),

  section: endpoint({
    method: 'GET',
    path: '/site/sections/:name',
    summary: 'Retrieve a section of the site',
    access: 'session',
    on: site,
    query: sectionQuery,
    answer: section,
    handler: ({ look, params, query }) => showSection(viewSite(look), params.name, query),
  }),

  sortSection: endpoint({
    method: 'PATCH',
    path: '/site/sections/:name/sort',
    summary: 'Sort the files of a section of the site',
    access: 'session',
    on: site,
    query: z.strictObject(languageQuery),
    body: sortBody,
    answer: done,
    handler: ({ look, exchange, caller, params, body }) =>
      sortSection(viewSite(look), params.name, body, by(caller, exchange)),
  }),

  fileSection: endpoint({
    method: 'GET',
    path: '/site/files/:filename/sections/:name',
    summary: 'Retrieve a section of a file of the site',
    access: 'session',
    on: fileOfSite,
    query: sectionQuery,
    answer: section,
    handler: ({ look, target, params, query }) => showSection(viewFile(look, target), params.name, query),
  }),

  ...mount(
    '/site',
    fieldOf(async ({ look }) => {
      await site(look)
      return viewSite(look)
    }),
  ),
  fileField: mount(
    '/site/files/:filename',
    fieldOf(async request => viewFile(request.look, await fileOfSite(request))),
  ).field,
}

function viewSite(look: Look): Viewer {
  const blueprint = look.app.blueprints.site()
  return {
    look,
    subject: { kind: 'site' },
    blueprint,
    mayUpdate: allowed(look.app, look.caller, 'site.update', blueprint),
  }
}

// ---- accounts

async function fileOfUser({ look, params }: FileRequest): Promise<FileTarget> {
  const { user: row } = await user({ ...look, params, missing: noUserOfFiles })
  return findFile(look, ofUser(row, look), params.filename)
}

export const userSections = {
  blueprint: endpoint({
    method: 'GET',
    path: '/users/:id/blueprint',
    summary: 'Retrieve the blueprint of an account',
    access: 'session',
    on: user,
    query: z.strictObject(selectionQuery),
    answer: model(blueprintView.schema),
    handler: ({ look, app, target, query }) => {
      const described = { blueprint: userBlueprintOf(app, target.user.role), link: linkOfUser(target.user, look) }
      return blueprintView.show(look, described, query)
    },
  }),

  blueprints: endpoint({
    method: 'GET',
    path: '/users/:id/blueprints',
    summary: 'List the templates of the pages in the sections of an account',
    access: 'session',
    on: user,
    query: templatesQuery,
    answer: templates,
    handler: async ({ look, app, target, query }) =>
      showTemplates(look, templatesIn(app, userBlueprintOf(app, target.user.role), query.section) ?? []),
  }),

  section: endpoint({
    method: 'GET',
    path: '/users/:id/sections/:name',
    summary: 'Retrieve a section of an account',
    access: 'session',
    on: user,
    query: sectionQuery,
    answer: section,
    handler: ({ look, target, params, query }) => showSection(viewUser(look, target), params.name, query),
  }),

  sortSection: endpoint({
    method: 'PATCH',
    path: '/users/:id/sections/:name/sort',
    summary: 'Sort the files of a section of an account',
    access: 'session',
    on: user,
    query: z.strictObject(languageQuery),
    body: sortBody,
    answer: done,
    handler: ({ look, exchange, caller, target, params, body }) =>
      sortSection(viewUser(look, target), params.name, body, by(caller, exchange)),
  }),

  fileSection: endpoint({
    method: 'GET',
    path: '/users/:id/files/:filename/sections/:name',
    summary: 'Retrieve a section of a file of an account',
    access: 'session',
    on: fileOfUser,
    query: sectionQuery,
    answer: section,
    handler: ({ look, target, params, query }) => showSection(viewFile(look, target), params.name, query),
  }),

  ...mount(
    '/users/:id',
    fieldOf(async ({ look, params }) => viewUser(look, await user({ ...look, params }))),
  ),
  fileField: mount(
    '/users/:id/files/:filename',
    fieldOf(async request => viewFile(request.look, await fileOfUser(request))),
  ).field,
}

function viewUser(look: Look, { user: row, options, own }: UserTarget): Viewer {
  return {
    look,
    subject: { kind: 'user', row },
    blueprint: userBlueprintOf(look.app, row.role),
    mayUpdate: allowed(look.app, look.caller, 'users.update', { options, own }),
  }
}

// ---- files

function viewFile(look: Look, { file, parent, options }: FileTarget): Viewer {
  return {
    look,
    subject: { kind: 'file', row: { file, parent } },
    blueprint: fileBlueprintOf(look.app, file),
    mayUpdate: allowed(look.app, look.caller, 'files.update', { options }),
  }
}

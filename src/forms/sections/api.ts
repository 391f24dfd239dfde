import { z } from 'zod'
import { statuses } from '../../blueprints/blueprints.ts'
import { blueprintView } from '../../content/blueprint.ts'
import { fail } from '../../platform/errors.ts'
import { fileBlueprintOf } from '../../groups/files/blueprint.ts'
import { sortBody } from '../../groups/files/sorting.ts'
import { type FileTarget, findFile } from '../../groups/files/target.ts'
import { answer, done, model } from '../../http/answer.ts'
import { isAccountActionAllowed } from '../../access/authorize/accounts.ts'
import { isAllowed } from '../../access/authorize/authorize.ts'
import { endpoint, mount } from '../../http/endpoint.ts'
import type { RequestContext } from '../../http/context.ts'
import { pagingQuery } from '../../http/paging.ts'
import { languageQuery, selectionQuery } from '../../http/query-schemas.ts'
import { pageFileParent } from '../../groups/pages/files.ts'
import { pageBlueprintOf } from '../../groups/pages/pages.ts'
import { templatesOffered } from '../../groups/pages/rules.ts'
import { pageTarget, type PageTarget } from '../../groups/pages/target.ts'
import { siteFileParent, siteTarget } from '../../groups/site/target.ts'
import { userFileParent } from '../../groups/users/files.ts'
import { userTarget, type UserTarget } from '../../groups/users/target.ts'
import { noUserOfFiles } from '../../groups/users/users.ts'
import { userBlueprintOf, linkOfUser } from '../../groups/users/view.ts'
import { showTemplates, templatesIn } from './blueprints.ts'
import { fieldEndpoint } from './choices.ts'
import { showSection, sortSection } from './sections.ts'
import { sectionSchema, type ShownSection } from './view.ts'
import type { SectionContext } from './context.ts'

const section = answer(sectionSchema, (shown: ShownSection) => shown)
const sectionQuery = z.strictObject({
  ...languageQuery,
  page: pagingQuery.page,
  next: pagingQuery.next,
  searchterm: z.string().max(1000).optional(),
  states: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true` adds `state` to listed pages: unpublished changes, schedule, and so on, as `state` of a page.'),
  status: z.enum(statuses).optional().describe('Lists only pages with this status.'),
  template: z.string().min(1).max(100).optional().describe('Lists only pages with this template.'),
  state: z
    .enum(['changed', 'mine', 'scheduled', 'incomplete'])
    .optional()
    .describe('Lists only pages with unpublished changes, with those of the caller, with a schedule, or with errors.'),
})

const templates = answer(
  z.array(z.object({ name: z.string(), title: z.string() })),
  (value: { name: string; title: string }[]) => value,
)
interface FileRequest {
  ctx: RequestContext
  params: { id: string; filename: string }
}

const templatesQuery = z.strictObject({ section: z.string().max(100).optional(), pretty: z.string().optional() })

// ---- pages

async function fileOfPage({ ctx, params }: FileRequest): Promise<FileTarget> {
  return findFile(ctx, pageFileParent((await pageTarget({ ctx, params })).page, ctx.app), params.filename)
}

/** Merged into the endpoints of pages. */
export const pageSections = {
  blueprints: endpoint({
    method: 'GET',
    path: '/pages/:id/blueprints',
    summary: 'List the templates that a page can have, or the pages of one of its sections',
    description: 'The templates that the page can be changed to; with `section` those of new pages in this section.',
    access: 'session',
    on: pageTarget,
    query: templatesQuery,
    answer: templates,
    handler: async ({ ctx, app, target, query: { section: name } }) => {
      if (name === undefined) return showTemplates(ctx, templatesOffered(ctx, target.page))
      const found = templatesIn(app, pageBlueprintOf(app, target.page), name)
      if (!found) throw fail('section.notFound', { name })
      return showTemplates(ctx, found)
    },
  }),

  section: endpoint({
    method: 'GET',
    path: '/pages/:id/sections/:name',
    summary: 'Retrieve a section of a page',
    description:
      'What a section of the blueprint shows: the pages or files it lists, its text, its fields or its numbers, as far as the caller may see them. `searchterm` searches in lists.',
    access: 'session',
    on: pageTarget,
    query: sectionQuery,
    answer: section,
    handler: ({ ctx, target, params, query }) => showSection(pageContext(ctx, target), params.name, query),
  }),

  sortSection: endpoint({
    method: 'PATCH',
    path: '/pages/:id/sections/:name/sort',
    summary: 'Sort the files of a section of a page',
    description:
      'Puts the named files of the section in this order, from position `index` on. The caller needs the permission `files.update` for each of them.',
    access: 'session',
    on: pageTarget,
    query: z.strictObject(languageQuery),
    body: sortBody,
    answer: done,
    handler: ({ ctx, target, params, body }) => sortSection(pageContext(ctx, target), params.name, body),
  }),

  fileSection: endpoint({
    method: 'GET',
    path: '/pages/:id/files/:filename/sections/:name',
    summary: 'Retrieve a section of a file of a page',
    description: 'What a section in the blueprint of the file shows.',
    access: 'session',
    on: fileOfPage,
    query: sectionQuery,
    answer: section,
    handler: ({ ctx, target, params, query }) => showSection(fileContext(ctx, target), params.name, query),
  }),

  ...mount(
    '/pages/:id',
    fieldEndpoint(async ({ ctx, params }) => pageContext(ctx, await pageTarget({ ctx, params }))),
  ),
  fileField: mount(
    '/pages/:id/files/:filename',
    fieldEndpoint(async request => fileContext(request.ctx, await fileOfPage(request))),
  ).field,
}

function pageContext(ctx: RequestContext, { page: row, options }: PageTarget): SectionContext {
  return {
    ctx,
    subject: { kind: 'page', row },
    blueprint: pageBlueprintOf(ctx.app, row),
    canUpdate: isAllowed(ctx, 'pages.update', { options }),
  }
}

// ---- the site

async function fileOfSite({ ctx, params }: { ctx: RequestContext; params: { filename: string } }): Promise<FileTarget> {
  return findFile(ctx, siteFileParent((await siteTarget({ ctx })).site, ctx.app), params.filename)
}

export const siteSections = {
  blueprints: endpoint({
    method: 'GET',
    path: '/site/blueprints',
    summary: 'List the templates of the pages that can be made at the top, or in one section of the site',
    description: 'The templates that new pages at the top of the site can have; with `section` those of this section.',
    access: 'session',
    on: siteTarget,
    query: templatesQuery,
    answer: templates,
    handler: async ({ ctx, app, query }) =>
      showTemplates(ctx, templatesIn(app, app.blueprints.site(), query.section) ?? []),
  }),

  section: endpoint({
    method: 'GET',
    path: '/site/sections/:name',
    summary: 'Retrieve a section of the site',
    description:
      'What a section in the blueprint of the site shows: pages, files, text, fields or numbers, as far as the caller may see them.',
    access: 'session',
    on: siteTarget,
    query: sectionQuery,
    answer: section,
    handler: ({ ctx, params, query }) => showSection(siteContext(ctx), params.name, query),
  }),

  sortSection: endpoint({
    method: 'PATCH',
    path: '/site/sections/:name/sort',
    summary: 'Sort the files of a section of the site',
    description:
      'Puts the named files of the section in this order, from position `index` on. The caller needs the permission `files.update` for each of them.',
    access: 'session',
    on: siteTarget,
    query: z.strictObject(languageQuery),
    body: sortBody,
    answer: done,
    handler: ({ ctx, params, body }) => sortSection(siteContext(ctx), params.name, body),
  }),

  fileSection: endpoint({
    method: 'GET',
    path: '/site/files/:filename/sections/:name',
    summary: 'Retrieve a section of a file of the site',
    description: 'What a section in the blueprint of the file shows.',
    access: 'session',
    on: fileOfSite,
    query: sectionQuery,
    answer: section,
    handler: ({ ctx, target, params, query }) => showSection(fileContext(ctx, target), params.name, query),
  }),

  ...mount(
    '/site',
    fieldEndpoint(async ({ ctx }) => {
      await siteTarget({ ctx })
      return siteContext(ctx)
    }),
  ),
  fileField: mount(
    '/site/files/:filename',
    fieldEndpoint(async request => fileContext(request.ctx, await fileOfSite(request))),
  ).field,
}

function siteContext(ctx: RequestContext): SectionContext {
  const blueprint = ctx.app.blueprints.site()
  return {
    ctx,
    subject: { kind: 'site' },
    blueprint,
    canUpdate: isAllowed(ctx, 'site.update', blueprint),
  }
}

// ---- accounts

async function fileOfUser({ ctx, params }: FileRequest): Promise<FileTarget> {
  const { user: row } = await userTarget({ ctx, params, missing: noUserOfFiles })
  return findFile(ctx, userFileParent(row, ctx), params.filename)
}

export const userSections = {
  blueprint: endpoint({
    method: 'GET',
    path: '/users/:id/blueprint',
    summary: 'Retrieve the blueprint of an account',
    description:
      "The form of the account: tabs, sections and fields of its role's blueprint, with texts in the language of the caller.",
    access: 'session',
    on: userTarget,
    query: z.strictObject(selectionQuery),
    answer: model(blueprintView.schema),
    handler: ({ ctx, app, target, query }) => {
      const described = { blueprint: userBlueprintOf(app, target.user.role), link: linkOfUser(target.user, ctx) }
      return blueprintView.show(ctx, described, query)
    },
  }),

  blueprints: endpoint({
    method: 'GET',
    path: '/users/:id/blueprints',
    summary: 'List the templates of the pages in the sections of an account',
    description: 'The templates that new pages in the named `section` of the account can have.',
    access: 'session',
    on: userTarget,
    query: templatesQuery,
    answer: templates,
    handler: async ({ ctx, app, target, query }) =>
      showTemplates(ctx, templatesIn(app, userBlueprintOf(app, target.user.role), query.section) ?? []),
  }),

  section: endpoint({
    method: 'GET',
    path: '/users/:id/sections/:name',
    summary: 'Retrieve a section of an account',
    description: 'What a section in the blueprint of the role shows for this account, as far as the caller may see it.',
    access: 'session',
    on: userTarget,
    query: sectionQuery,
    answer: section,
    handler: ({ ctx, target, params, query }) => showSection(userContext(ctx, target), params.name, query),
  }),

  sortSection: endpoint({
    method: 'PATCH',
    path: '/users/:id/sections/:name/sort',
    summary: 'Sort the files of a section of an account',
    description:
      'Puts the named files of the section in this order, from position `index` on. The caller needs the permissions `users.update` and, for each of them, `files.update`.',
    access: 'session',
    on: userTarget,
    query: z.strictObject(languageQuery),
    body: sortBody,
    answer: done,
    handler: ({ ctx, target, params, body }) => sortSection(userContext(ctx, target), params.name, body),
  }),

  fileSection: endpoint({
    method: 'GET',
    path: '/users/:id/files/:filename/sections/:name',
    summary: 'Retrieve a section of a file of an account',
    description: 'What a section in the blueprint of the file shows.',
    access: 'session',
    on: fileOfUser,
    query: sectionQuery,
    answer: section,
    handler: ({ ctx, target, params, query }) => showSection(fileContext(ctx, target), params.name, query),
  }),

  ...mount(
    '/users/:id',
    fieldEndpoint(async ({ ctx, params }) => userContext(ctx, await userTarget({ ctx, params }))),
  ),
  fileField: mount(
    '/users/:id/files/:filename',
    fieldEndpoint(async request => fileContext(request.ctx, await fileOfUser(request))),
  ).field,
}

function userContext(ctx: RequestContext, { user: row }: UserTarget): SectionContext {
  return {
    ctx,
    subject: { kind: 'user', row },
    blueprint: userBlueprintOf(ctx.app, row.role),
    canUpdate: isAccountActionAllowed(ctx, row, 'users.update'),
  }
}

// ---- files

function fileContext(ctx: RequestContext, { file, parent, options }: FileTarget): SectionContext {
  return {
    ctx,
    subject: { kind: 'file', row: { file, parent } },
    blueprint: fileBlueprintOf(ctx.app, file),
    canUpdate: isAllowed(ctx, 'files.update', { options }),
  }
}

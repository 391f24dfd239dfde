import type { App } from '../../app.ts'
import type { Status } from '../../blueprints/blueprints.ts'
import { decide, type Option, type Permission } from '../../blueprints/permissions/permissions.ts'
import { fail } from '../../platform/errors.ts'
import { accountOf, type ActorContext, isPassOfSite, previewedPage } from '../actor.ts'
import { isDeletedIn, statusIn } from '../preview/release.ts'
import { isAllowed, canRead, denied, type DenialKey, mustBeAllowed, noOptions, permissionsOf } from './authorize.ts'
import { decideOnce } from './decide-once.ts'
import { type TemplateFilter, templatesMatching } from './templates.ts'

/** An action that the permissions of pages and the options of their blueprints know. */
export type PageAction = Permission extends infer Name ? (Name extends `pages.${infer Action}` ? Action : never) : never

type Options = Readonly<Record<string, Option>>
type Templated = { template: string }

export function canViewPages(ctx: ActorContext, { access, read }: Options): boolean {
  return canRead(ctx, 'pages.access', access) && canRead(ctx, 'pages.read', read)
}

/** Whether the page is shown in lists: related pages, sections and search results. */
export function canListPages(ctx: ActorContext, options: Options): boolean {
  return canViewPages(ctx, options) && canRead(ctx, 'pages.list', options['list'])
}

/**
 * Whether the account may see pages of this template. False for anonymous clients: they see by status, too
 * (`visibleOf`).
 */
export function canViewPage(ctx: ActorContext, page: Templated): boolean {
  return !ctx.actor.isAnonymous && canViewTemplate(ctx, page)
}

/**
 * Whether an anonymous client may see the page, as far as it depends on the page itself. The holder of a preview pass
 * sees the draft that it is for, or all, as if they were published; or the pages as a release leaves them.
 */
export function isPublishedFor(
  ctx: ActorContext,
  page: Templated & { uuid: string; path: string; status: Status },
): boolean {
  if (!canViewTemplate(ctx, page)) return false
  const pass = ctx.actor.isAnonymous ? ctx.actor.pass : undefined
  if (pass?.release) return statusIn(pass.release, page) !== 'draft' && !isDeletedIn(pass.release, page)
  return (
    page.status !== 'draft' || (pass !== undefined && (isPassOfSite(pass) || previewedPage(ctx.actor) === page.uuid))
  )
}

/** Whether the actor may see pages of this template at all. */
export function canViewTemplate(ctx: ActorContext, { template }: Templated): boolean {
  const { name, options } = ctx.app.blueprints.page(template)
  return decideOnce(ctx, `see ${name}`, () => canViewPages(ctx, options))
}

/** Whether the actor may do this to pages of this template; visibility is checked elsewhere. */
export function isPageActionAllowed(ctx: ActorContext, action: PageAction, { template }: Templated): boolean {
  const { name, options } = ctx.app.blueprints.page(template)
  return decideOnce(ctx, `${action} ${name}`, () => isAllowed(ctx, `pages.${action}`, { options }))
}

/** Whether all accounts of the role may do all of this to pages of this template. */
export function isRoleAllowed(
  app: App,
  role: string,
  actions: readonly PageAction[],
  { template }: Templated,
): boolean {
  const { options } = app.blueprints.page(template)
  const permissions = permissionsOf(app, role)
  return actions.every(action => decide({ role, permissions }, `pages.${action}`, options[action]))
}

/**
 * Throws unless the actor may see the page and do all of this to it. Checked on the locked row: its template may
 * change.
 */
export function authorizePage(
  ctx: ActorContext,
  page: Templated & { uuid: string },
  actions: readonly PageAction[],
  refusal?: DenialKey,
): void {
  if (!canViewPage(ctx, page)) throw fail('page.notFound', { id: `page://${page.uuid}` })
  if (actions.length === 0) return
  const { name, options } = ctx.app.blueprints.page(page.template)
  const missing = decideOnce(
    ctx,
    `${actions.join()} all ${name}`,
    () => actions.find(action => !isAllowed(ctx, `pages.${action}`, { options })) ?? null,
  )
  if (missing !== null) throw denied(`pages.${missing}`, refusal)
}

/** Whether the actor is the only author of something about the page, such as comments, or may publish the page. */
export function isAuthorOrPublisher(ctx: ActorContext, page: Templated, authors: readonly (string | null)[]): boolean {
  return authors.every(author => isAuthor(ctx, author)) || isPageActionAllowed(ctx, 'publish', page)
}

/** Whether the account of the actor is the author. Nobody is the author of what a deleted account has left. */
export const isAuthor = (ctx: ActorContext, author: string | null): boolean =>
  author !== null && author === accountOf(ctx)

/** Throws unless the actor may publish pages of this template. */
export function mustPublish(ctx: ActorContext, page: Templated, refusal?: DenialKey): void {
  if (!isPageActionAllowed(ctx, 'publish', page)) throw denied('pages.publish', refusal)
}

// ---- lists

/** The templates whose pages the actor may list. */
export const listableTemplates = (ctx: ActorContext): TemplateFilter =>
  decideOnce(ctx, 'templates to list', () => decideTemplates(ctx.app, options => canListPages(ctx, options)))

/** The templates whose pages the actor may see. */
export const visibleTemplates = (ctx: ActorContext): TemplateFilter =>
  decideOnce(ctx, 'templates to see', () => decideTemplates(ctx.app, options => canViewPages(ctx, options)))

/** The templates whose pages the actor may list and update. */
export const templatesToUpdate = (ctx: ActorContext): TemplateFilter =>
  decideOnce(ctx, 'templates to update', () =>
    decideTemplates(ctx.app, options => canListPages(ctx, options) && isAllowed(ctx, 'pages.update', { options })),
  )

/** Throws if the role may see no unpublished changes. The holder of a pass may, on the pages of the pass. */
export function mustPreview(ctx: ActorContext): void {
  const { actor } = ctx
  if (!(actor.isAnonymous && actor.pass)) mustBeAllowed(ctx, 'pages.preview', noOptions)
}

/** The templates of pages whose unpublished changes the actor may see. */
export function templatesToPreview(ctx: ActorContext): TemplateFilter {
  const { actor } = ctx
  if (actor.isAnonymous && actor.pass) return { templates: undefined, except: [] }
  return decideOnce(ctx, 'templates to preview', () =>
    decideTemplates(ctx.app, options => isAllowed(ctx, 'pages.preview', { options })),
  )
}

/**
 * Throws if a pass for the site would show more than the actor may preview. What an option forbids to every role, such
 * as `preview: false` for pages without an address, applies to no actor.
 */
export function mustPreviewAll(ctx: ActorContext): void {
  const { templates, except } = decideTemplates(
    ctx.app,
    options =>
      ['access', 'read', 'preview'].some(action => options[action] === false) ||
      (canViewPages(ctx, options) && isAllowed(ctx, 'pages.preview', { options })),
  )
  if (templates || except.length > 0) throw fail('site.preview.permission')
}

const decideTemplates = ({ blueprints }: App, test: (options: Options) => boolean): TemplateFilter =>
  templatesMatching(blueprints.templates('pages'), template => test(blueprints.page(template).options))

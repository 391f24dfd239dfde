import type { App } from '../../app.ts'
import type { ActorContext } from '../../access/actor.ts'
import { canViewPage } from '../../access/authorize/pages.ts'
import type { Status } from '../../blueprints/blueprints.ts'
import { inOneLine } from '../../content/title.ts'
import { fail } from '../../platform/errors.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { toSlug } from '../../platform/lib/slug.ts'
import { message } from '../../platform/texts.ts'
import type { PageRow } from './queries.ts'

// ---- home and error page

export const isHome = ({ config }: App, { path }: Pick<PageRow, 'path'>) => path === config.home
export const isError = ({ config }: App, { path }: Pick<PageRow, 'path'>) => path === config.error

/** The site needs its home and error page, so they cannot become drafts. */
export const mustStayPublished = (app: App, page: Pick<PageRow, 'path'>) => isHome(app, page) || isError(app, page)

type ActionTarget = Pick<PageRow, 'path' | 'template' | 'status'>

/** Whether an action is possible at all, for any role: the home and error page must keep their places. */
export function isPossible(app: App, page: ActionTarget, action: string): boolean {
  switch (action) {
    case 'changeSlug':
    case 'delete':
    case 'move':
      return !mustStayPublished(app, page)
    case 'changeStatus':
      return !isError(app, page)
    case 'changeTemplate':
      return !isError(app, page) && templatesFor(app, page).length > 1
    case 'sort':
      return !isError(app, page) && page.status === 'listed' && app.blueprints.page(page.template).num === 'default'
    default:
      return true
  }
}

export function mustBePossible(
  app: App,
  page: ActionTarget,
  action: 'changeSlug' | 'delete' | 'move' | 'changeStatus' | 'changeTemplate' | 'sort',
): void {
  if (!isPossible(app, page, action)) throw fail(`page.${action}.permission`)
}

// ---- slugs

/** Limit in bytes, of database indexes and of URLs. */
const maxPathBytes = 1000
/** Top-level URLs that the application serves itself. */
const reservedSlugs = new Set(['api', 'assets', 'media', 'panel', 'health', 'openapi.json'])

/** Converts a text to a slug, with the rules of the language. */
export function slugFrom(text: string, { slugs }: Pick<ContentLanguage, 'slugs'>): string {
  const slug = toSlug(text, slugs)
  if (slug === '') throw fail('page.slug.invalid')
  return slug
}

/** The path of a page with this slug. */
export function pathFor(parent: Pick<PageRow, 'path'> | undefined, slug: string): string {
  if (parent) return `${parent.path}/${slug}`
  if (reservedSlugs.has(slug)) throw fail('page.changeSlug.reserved', { slug })
  return slug
}

export function pathMustBeValid(...paths: string[]): void {
  if (paths.some(path => Buffer.byteLength(path) > maxPathBytes))
    throw fail('page.slug.maxlength', { max: String(maxPathBytes) })
}

type OccupyingPage = Pick<PageRow, 'status' | 'template'>

/** Mentions a conflicting draft only to an actor who may see it. */
export function slugIsTaken(ctx: ActorContext, there: OccupyingPage | undefined, slug: string) {
  const isSeenDraft = there?.status === 'draft' && canViewPage(ctx, there)
  return isSeenDraft ? fail('page.draft.duplicate', { slug }) : fail('page.duplicate', { slug })
}

/** The format of generated ids: sixteen letters and digits. */
export function uuidMustBeValid(uuid: string): void {
  if (/^[a-zA-Z0-9]{16}$/.test(uuid)) return
  const problem = { label: 'uuid', message: { pattern: message('validation.pattern') } }
  throw fail('invalidArgument').with({ details: { uuid: problem } })
}

// ---- templates

/** The name of an existing blueprint, or a sanitized name: it may become part of a file path. */
export function templateOf({ blueprints }: App, template = 'default'): string {
  const name = template.toLowerCase()
  const plain = blueprints.templates('pages').includes(name) || /^[a-z0-9][a-z0-9_-]*$/.test(name) ? name : toSlug(name)
  if (plain === '') throw fail('page.template.invalid', { template })
  return plain
}

/** A template needs no blueprint, unless the parent restricts the templates of its children. */
export function templateMustBeValid(app: App, template: string, into: PageRow | undefined): void {
  if (!app.blueprints.templates('pages').includes(template) && !isPlaceable(app, template, into))
    throw fail('page.template.invalid', { template })
}

/** The templates that a page can be changed to, its own first. */
function templatesFor({ blueprints }: App, { template }: Pick<PageRow, 'template'>): string[] {
  const existing = blueprints.templates('pages')
  const others = blueprints.page(template).changeTemplate.filter(name => existing.includes(name))
  return [...new Set([template, ...others])]
}

/** Without templates that do not offer the current status, or that the actor may not see. */
export function templatesOffered(ctx: ActorContext, page: Pick<PageRow, 'template' | 'status'>): string[] {
  const matches = (template: string) => isOffered(ctx.app, template, page.status) && canViewPage(ctx, { template })
  return templatesFor(ctx.app, page).filter(name => name === page.template || matches(name))
}

const isOffered = ({ blueprints }: App, template: string, status: Status) =>
  Object.hasOwn(blueprints.page(template).status, status)

type Parent = Pick<PageRow, 'template'> | undefined

export function mustBePlaceable(app: App, { template }: Pick<PageRow, 'template'>, into: Parent): void {
  if (!isPlaceable(app, template, into)) throw fail('page.move.template', { template })
}

export function mustAcceptMoved(app: App, page: Pick<PageRow, 'template'>, into: Parent): void {
  mustBePlaceable(app, page, into)
  if (!acceptsMoved(app, into)) throw fail('page.move.template', { template: page.template })
}

/** The templates of pages that can be moved below this parent or to the top level. Null if there is no restriction. */
export function acceptedTemplates(app: App, into: Parent): string[] | null {
  if (!acceptsMoved(app, into)) return []
  const isFree = listsOf(app, into).every(
    list => namesInSetting(templatesOf(list)).length === 0 && !list.templatesIgnore,
  )
  return isFree ? null : app.blueprints.templates('pages').filter(template => isPlaceable(app, template, into))
}

/** A page whose blueprint has no pages section takes no moved pages. `default` and unknown templates take all. */
const acceptsMoved = (app: App, into: Parent) =>
  !into ||
  into.template === 'default' ||
  !app.blueprints.templates('pages').includes(into.template) ||
  listsOf(app, into).length > 0

/** The pages sections that list the children of this parent, not those with another parent or a query. */
function listsOf({ blueprints }: App, into: Parent) {
  const { sections } = into ? blueprints.page(into.template) : blueprints.site()
  return [...sections.values()].filter(
    ({ type, parent, query }) => type === 'pages' && parent === undefined && query === undefined,
  )
}

const templatesOf = ({ template, templates = template }: ReturnType<typeof listsOf>[number]) => templates

/** If the pages sections of the parent name templates, no other template is accepted. */
function isPlaceable(app: App, template: string, into: Parent): boolean {
  const lists = listsOf(app, into)
  return (
    lists.length === 0 ||
    lists.some(list => {
      const names = namesInSetting(templatesOf(list))
      return (
        !namesInSetting(list.templatesIgnore).includes(template) && (names.length === 0 || names.includes(template))
      )
    })
  )
}

/** A setting with one name or a list of names. */
export const namesInSetting = (setting: unknown): string[] => [setting ?? []].flat().map(String)

// ---- statuses

export function statusMustBeOffered(app: App, page: Pick<PageRow, 'path' | 'template'>, status: Status): void {
  if (!isOffered(app, page.template, status) || (status === 'draft' && mustStayPublished(app, page)))
    throw fail('page.status.invalid', { status: message(`status.${status}`) })
}

// ---- titles

/** A title is one line of text. */
export function plainTitle(title: string): string {
  const plain = inOneLine(title)
  if (plain === '') throw fail('page.changeTitle.empty')
  return plain
}

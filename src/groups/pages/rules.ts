import type { App } from '../../app.ts'
import type { Status } from '../../blueprints/blueprints.ts'
import { fail } from '../../platform/errors.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { toSlug } from '../../platform/lib/slug.ts'
import { message } from '../../platform/texts.ts'
import type { PageRow } from './queries.ts'

// ---- home and error page

export const isHome = ({ config }: App, { path }: Pick<PageRow, 'path'>) => path === config.home
export const isError = ({ config }: App, { path }: Pick<PageRow, 'path'>) => path === config.error

/** The site always shows them. */
export const mustStayPublished = (app: App, page: Pick<PageRow, 'path'>) => isHome(app, page) || isError(app, page)

type Tried = Pick<PageRow, 'path' | 'template' | 'status'>

/** What cannot be done with a page whoever asks: the site needs its home and its error page where they are. */
export function isPossible(app: App, page: Tried, action: string): boolean {
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
  page: Tried,
  action: 'changeSlug' | 'delete' | 'move' | 'changeStatus' | 'changeTemplate' | 'sort',
): void {
  if (!isPossible(app, page, action)) throw fail(`page.${action}.permission`)
}

// ---- slugs

/** In bytes: what an index can hold, and an address. */
const maxPathBytes = 1000
/** What a site has at these addresses itself. */
const taken = new Set(['api', 'assets', 'media', 'panel', 'health', 'openapi.json'])

/** As part of an address, in the way of a language. */
export function slugFrom(text: string, { slugs }: Pick<ContentLanguage, 'slugs'>): string {
  const slug = toSlug(text, slugs)
  if (slug === '') throw fail('page.slug.invalid')
  return slug
}

/** Where a page of this slug is. */
export function pathFor(parent: Pick<PageRow, 'path'> | undefined, slug: string): string {
  if (parent) return `${parent.path}/${slug}`
  if (taken.has(slug)) throw fail('page.changeSlug.reserved', { slug })
  return slug
}

export function pathMustFit(...paths: string[]): void {
  if (paths.some(path => Buffer.byteLength(path) > maxPathBytes))
    throw fail('page.slug.maxlength', { max: String(maxPathBytes) })
}

type Taker = Pick<PageRow, 'status' | 'template'>
/** Whether whoever asks may know of pages of this template. The room itself may. */
export type Sees = (page: Pick<PageRow, 'template'>) => boolean
const everything: Sees = () => true

/** Nobody learns what is there under a slug and is none of their business. */
export function slugIsTaken(by: Taker | undefined, slug: string, sees = everything) {
  return by?.status === 'draft' && sees(by) ? fail('page.draft.duplicate', { slug }) : fail('page.duplicate', { slug })
}

/** Sixteen letters and digits, as those that are made here. */
export function uuidMustFit(uuid: string): void {
  if (/^[a-zA-Z0-9]{16}$/.test(uuid)) return
  const problem = { label: 'uuid', message: { pattern: message('validation.pattern') } }
  throw fail('invalidArgument').with({ details: { uuid: problem } })
}

// ---- templates

/** One of those the blueprints describe, or a name that is safe everywhere: it may become part of a path. */
export function templateOf({ blueprints }: App, template = 'default'): string {
  const name = template.toLowerCase()
  const plain = blueprints.templates('pages').includes(name) || /^[a-z0-9][a-z0-9_-]*$/.test(name) ? name : toSlug(name)
  if (plain === '') throw fail('page.template.invalid', { template })
  return plain
}

/** Nobody has to have described it, but where a blueprint says which pages it lists, others have no place. */
export function templateMustFit(app: App, template: string, into: PageRow | undefined): void {
  if (!app.blueprints.templates('pages').includes(template) && !isPlaceable(app, template, into))
    throw fail('page.template.invalid', { template })
}

/** Those a page can be changed to, its own first. */
function templatesFor({ blueprints }: App, { template }: Pick<PageRow, 'template'>): string[] {
  const known = blueprints.templates('pages')
  const others = blueprints.page(template).changeTemplate.filter(name => known.includes(name))
  return [...new Set([template, ...others])]
}

/** Those that offer the status it has now, as far as whoever asks knows them. */
export function templatesOffered(
  app: App,
  page: Pick<PageRow, 'template' | 'status'>,
  sees: Sees = everything,
): string[] {
  const fits = (template: string) => isOffered(app, template, page.status) && sees({ template })
  return templatesFor(app, page).filter(name => name === page.template || fits(name))
}

const isOffered = ({ blueprints }: App, template: string, status: Status) =>
  Object.hasOwn(blueprints.page(template).status, status)

type Parent = Pick<PageRow, 'template'> | undefined

export function mustBePlaceable(app: App, { template }: Pick<PageRow, 'template'>, into: Parent): void {
  if (!isPlaceable(app, template, into)) throw fail('page.move.template', { template })
}

export function mustTakeMoved(app: App, page: Pick<PageRow, 'template'>, into: Parent): void {
  mustBePlaceable(app, page, into)
  if (!takesMoved(app, into)) throw fail('page.move.template', { template: page.template })
}

/** The templates of pages that can be moved below a page, or to the top. Null where all of them can. */
export function acceptedTemplates(app: App, into: Parent): string[] | null {
  if (!takesMoved(app, into)) return []
  const isFree = listsOf(app, into).every(list => namesIn(templatesOf(list)).length === 0 && !list.templatesIgnore)
  return isFree ? null : app.blueprints.templates('pages').filter(template => isPlaceable(app, template, into))
}

/** A page whose blueprint lists no pages is a leaf. The default template describes nothing, so it takes all. */
const takesMoved = (app: App, into: Parent) =>
  !into ||
  into.template === 'default' ||
  !app.blueprints.templates('pages').includes(into.template) ||
  listsOf(app, into).length > 0

/** The lists of the pages below, not of those elsewhere. */
function listsOf({ blueprints }: App, into: Parent) {
  const { sections } = into ? blueprints.page(into.template) : blueprints.site()
  return [...sections.values()].filter(
    ({ type, parent, query }) => type === 'pages' && parent === undefined && query === undefined,
  )
}

const templatesOf = ({ template, templates = template }: ReturnType<typeof listsOf>[number]) => templates

/** Where a blueprint lists its pages by template, others have no place there. */
function isPlaceable(app: App, template: string, into: Parent): boolean {
  const lists = listsOf(app, into)
  return (
    lists.length === 0 ||
    lists.some(list => {
      const names = namesIn(templatesOf(list))
      return !namesIn(list.templatesIgnore).includes(template) && (names.length === 0 || names.includes(template))
    })
  )
}

export const namesIn = (setting: unknown) => [setting ?? []].flat().map(String)

// ---- states

export function statusMustBeOffered(app: App, page: Pick<PageRow, 'path' | 'template'>, status: Status): void {
  if (!isOffered(app, page.template, status) || (status === 'draft' && mustStayPublished(app, page)))
    throw fail('page.status.invalid', { status: message(`status.${status}`) })
}

// ---- titles

/** A title is one line of text. */
export function plainTitle(title: string): string {
  const plain = title.replaceAll(/\s*[\p{Cc}\u2028\u2029]+\s*/gu, ' ').trim()
  if (plain === '') throw fail('page.changeTitle.empty')
  return plain
}

import type { App } from '../../app.ts'
import { fail } from '../../platform/errors.ts'
import type { PermissionTarget } from '../../http/endpoint.ts'
import type { RequestContext } from '../../http/context.ts'
import type { Option } from '../../blueprints/permissions/permissions.ts'
import type { Caller } from '../../access/session/identify.ts'
import { canSee } from '../../access/session/rights.ts'
import { blueprintOf, findPage } from './pages.ts'
import type { PageRow, Templates } from './queries.ts'

/** The page a request is about. */
export interface PageTarget extends PermissionTarget {
  page: PageRow
}

/** In URLs an id has `+` instead of slashes. A page that the caller may not see is 404. */
export async function page({ ctx, params }: { ctx: RequestContext; params: { id: string } }): Promise<PageTarget> {
  if (params.id.includes(':')) throw fail('page.notFound', { id: params.id }) // in URLs a uuid begins with `@`
  return visiblePage(ctx, idOf(params.id))
}

export async function visiblePage(ctx: RequestContext, id: string): Promise<PageTarget> {
  const found = await findPage(ctx.app, id, await ctx.language())
  const { options } = blueprintOf(ctx.app, found)
  if (!isVisible(ctx.app, ctx.caller, options)) throw fail('page.notFound', { id })
  return { page: found, options }
}

/** `exhibits+tide-machine.html` → `exhibits/tide-machine` */
export function idOf(param: string): string {
  return param.replaceAll('+', '/').replace(/\.[^./]*$/, '')
}

type Options = Readonly<Record<string, Option>>

export function isVisible(app: App, caller: Caller, { access, read }: Options): boolean {
  return canSee(app, caller, 'pages.access', access) && canSee(app, caller, 'pages.read', read)
}

/** Whether the page is shown in lists: related pages, sections and search results. */
export function isListable(app: App, caller: Caller, options: Options): boolean {
  return isVisible(app, caller, options) && canSee(app, caller, 'pages.list', options['list'])
}

/** The templates whose pages the caller may list. */
export function listableTemplates(app: App, caller: Caller): Templates {
  return templatesThat(app, options => isListable(app, caller, options))
}

/** The templates whose pages the caller may see. */
export function visibleTemplates(app: App, caller: Caller): Templates {
  return templatesThat(app, options => isVisible(app, caller, options))
}

/** Templates without a blueprint have the options of `default`. */
function templatesThat({ blueprints }: App, fit: (options: Options) => boolean): Templates {
  const fits = (template: string) => fit(blueprints.page(template).options)
  const known = blueprints.templates('pages')
  if (fits('default')) return { templates: undefined, except: known.filter(template => !fits(template)) }
  return { templates: known.filter(fits), except: [] }
}

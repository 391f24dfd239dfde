import type { App } from '../app.ts'
import { fail } from '../errors.ts'
import type { Thing } from '../http/endpoint.ts'
import type { Look } from '../http/look.ts'
import type { Option } from '../permissions/permissions.ts'
import type { Caller } from '../session/identify.ts'
import { can } from '../session/rights.ts'
import { blueprintOf, findPage } from './pages.ts'
import type { PageRow, Wanted } from './queries.ts'

/** The page a request is about. */
export interface PageTarget extends Thing {
  page: PageRow
}

/** In addresses a page is named with `+` for its slashes. What the caller may not see does not exist. */
export async function page({ look, params }: { look: Look; params: { id: string } }): Promise<PageTarget> {
  const id = idOf(params.id)
  const found = await findPage(look.app, id, await look.language())
  const { options } = blueprintOf(look.app, found)
  if (!isVisible(look.app, look.caller, options)) throw fail('page.notFound', { id })
  return { page: found, options }
}

/** `exhibits+tide-machine` → `exhibits/tide-machine` */
export function idOf(param: string): string {
  return param.replaceAll(/[+ ]/g, '/')
}

type Options = Readonly<Record<string, Option>>

export function isVisible(app: App, caller: Caller, { access, read }: Options): boolean {
  return can(app, caller, 'pages.access', access) && can(app, caller, 'pages.read', read)
}

/** Whether it is shown in lists. */
export function isListable(app: App, caller: Caller, options: Options): boolean {
  return isVisible(app, caller, options) && can(app, caller, 'pages.list', options['list'])
}

/** Whether pages of this template are shown in lists, to whom. Templates that nobody described are like `default`. */
export function listableTemplates(app: App, caller: Caller): Pick<Wanted, 'templates' | 'except'> {
  const seen = (template: string) => isListable(app, caller, app.blueprints.page(template).options)
  const known = app.blueprints.templates('pages')
  if (seen('default')) return { templates: undefined, except: known.filter(template => !seen(template)) }
  return { templates: known.filter(seen), except: [] }
}

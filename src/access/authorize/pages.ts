import type { App } from '../../app.ts'
import type { Blueprints } from '../../blueprints/blueprints.ts'
import type { Option, Permission } from '../../blueprints/permissions/permissions.ts'
import { fail } from '../../platform/errors.ts'
import { type Actor, type Asking, isSystem } from '../actor.ts'
import { allowed, canSee, denied } from './authorize.ts'

/** An action that the permissions of pages and the options of their blueprints know. */
export type PageAction = Permission extends infer Name ? (Name extends `pages.${infer Action}` ? Action : never) : never

type Options = Readonly<Record<string, Option>>
type Templated = { template: string }

const decided = new WeakMap<Actor, Map<string, boolean>>()

/** Rights depend on the template alone. Remembered for one actor, so for one request: a subtree has many pages. */
function remembered({ actor }: Asking, question: string, decide: () => boolean): boolean {
  let answers = decided.get(actor)
  if (!answers) decided.set(actor, (answers = new Map()))
  let answer = answers.get(question)
  if (answer === undefined) answers.set(question, (answer = decide()))
  return answer
}

export function isVisible(asking: Asking, { access, read }: Options): boolean {
  return canSee(asking, 'pages.access', access) && canSee(asking, 'pages.read', read)
}

/** Whether the page is shown in lists: related pages, sections and search results. */
export function isListable(asking: Asking, options: Options): boolean {
  return isVisible(asking, options) && canSee(asking, 'pages.list', options['list'])
}

/** Whether the actor may see pages of this template. */
export function seesPage(asking: Asking, { template }: Templated): boolean {
  return remembered(asking, `see ${template}`, () => isVisible(asking, asking.app.blueprints.page(template).options))
}

/** Whether the actor may do this to pages of this template; what they may not see is not asked here. */
export function mayOnPage(asking: Asking, action: PageAction, { template }: Templated): boolean {
  return remembered(asking, `${action} ${template}`, () =>
    allowed(asking, `pages.${action}`, asking.app.blueprints.page(template)),
  )
}

/** Throws unless the actor may see the page and do all of this to it. Asked on the locked row: its template may change. */
export function pageMustBeAllowed(
  asking: Asking,
  page: Templated & { uuid: string },
  actions: readonly PageAction[],
): void {
  if (!seesPage(asking, page)) throw fail('page.notFound', { id: `page://${page.uuid}` })
  for (const action of actions) if (!mayOnPage(asking, action, page)) throw denied(`pages.${action}`)
}

// ---- lists

export interface Templates {
  /** Undefined allows every template except those in `except`. */
  templates: readonly string[] | undefined
  except: readonly string[]
}

/** The templates whose pages the actor may list. */
export const listableTemplates = (asking: Asking): Templates => templatesThat(asking, 'list', isListable)

/** The templates whose pages the actor may see. */
export const visibleTemplates = (asking: Asking): Templates => templatesThat(asking, 'see', isVisible)

interface Cache {
  version: number
  byRole: Map<string, Templates>
}
const caches = new WeakMap<Blueprints, Cache>()

/** Remembered by role until the blueprints change. Templates without a blueprint have the options of `default`. */
function templatesThat(
  asking: Asking,
  what: 'list' | 'see',
  fit: (asking: Asking, options: Options) => boolean,
): Templates {
  const { app, actor } = asking
  if (isSystem(actor)) return { templates: undefined, except: [] }
  if (actor.token) return decideTemplates(app, options => fit(asking, options))
  const { blueprints } = app
  let cache = caches.get(blueprints)
  if (cache?.version !== blueprints.version)
    caches.set(blueprints, (cache = { version: blueprints.version, byRole: new Map() }))
  const key = `${what} ${actor.user.role}`
  let templates = cache.byRole.get(key)
  if (!templates) cache.byRole.set(key, (templates = decideTemplates(app, options => fit(asking, options))))
  return templates
}

function decideTemplates({ blueprints }: App, fit: (options: Options) => boolean): Templates {
  const fits = (template: string) => fit(blueprints.page(template).options)
  const known = blueprints.templates('pages')
  if (fits('default')) return { templates: undefined, except: known.filter(template => !fits(template)) }
  return { templates: known.filter(fits), except: [] }
}

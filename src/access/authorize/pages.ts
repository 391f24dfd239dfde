import type { App } from '../../app.ts'
import type { Blueprints } from '../../blueprints/blueprints.ts'
import type { Option, Permission } from '../../blueprints/permissions/permissions.ts'
import { fail } from '../../platform/errors.ts'
import { type Actor, type ActorContext, isSystem } from '../actor.ts'
import { allowed, canSee, denied } from './authorize.ts'

/** An action that the permissions of pages and the options of their blueprints know. */
export type PageAction = Permission extends infer Name ? (Name extends `pages.${infer Action}` ? Action : never) : never

type Options = Readonly<Record<string, Option>>
type Templated = { template: string }

const decisionCaches = new WeakMap<Actor, Map<string, boolean>>()

/** Rights depend on the template alone. Remembered for one actor, so for one request: a subtree has many pages. */
function cachedDecision({ actor }: ActorContext, question: string, decide: () => boolean): boolean {
  let answers = decisionCaches.get(actor)
  if (!answers) decisionCaches.set(actor, (answers = new Map()))
  let answer = answers.get(question)
  if (answer === undefined) answers.set(question, (answer = decide()))
  return answer
}

export function isVisible(ctx: ActorContext, { access, read }: Options): boolean {
  return canSee(ctx, 'pages.access', access) && canSee(ctx, 'pages.read', read)
}

/** Whether the page is shown in lists: related pages, sections and search results. */
export function isListable(ctx: ActorContext, options: Options): boolean {
  return isVisible(ctx, options) && canSee(ctx, 'pages.list', options['list'])
}

/** Whether the actor may see pages of this template. */
export function seesPage(ctx: ActorContext, { template }: Templated): boolean {
  return cachedDecision(ctx, `see ${template}`, () => isVisible(ctx, ctx.app.blueprints.page(template).options))
}

/** Whether the actor may do this to pages of this template; what they may not see is not asked here. */
export function isPageActionAllowed(ctx: ActorContext, action: PageAction, { template }: Templated): boolean {
  return cachedDecision(ctx, `${action} ${template}`, () =>
    allowed(ctx, `pages.${action}`, ctx.app.blueprints.page(template)),
  )
}

/** Throws unless the actor may see the page and do all of this to it. Asked on the locked row: its template may change. */
export function authorizePage(
  ctx: ActorContext,
  page: Templated & { uuid: string },
  actions: readonly PageAction[],
): void {
  if (!seesPage(ctx, page)) throw fail('page.notFound', { id: `page://${page.uuid}` })
  for (const action of actions) if (!isPageActionAllowed(ctx, action, page)) throw denied(`pages.${action}`)
}

// ---- lists

export interface Templates {
  /** Undefined allows every template except those in `except`. */
  templates: readonly string[] | undefined
  except: readonly string[]
}

/** The templates whose pages the actor may list. */
export const listableTemplates = (ctx: ActorContext): Templates => templatesThat(ctx, 'list', isListable)

/** The templates whose pages the actor may see. */
export const visibleTemplates = (ctx: ActorContext): Templates => templatesThat(ctx, 'see', isVisible)

interface Cache {
  version: number
  byRole: Map<string, Templates>
}
const caches = new WeakMap<Blueprints, Cache>()

/** Remembered by role until the blueprints change. Templates without a blueprint have the options of `default`. */
function templatesThat(
  ctx: ActorContext,
  what: 'list' | 'see',
  fit: (ctx: ActorContext, options: Options) => boolean,
): Templates {
  const { app, actor } = ctx
  if (isSystem(actor)) return { templates: undefined, except: [] }
  if (actor.token) return decideTemplates(app, options => fit(ctx, options))
  const { blueprints } = app
  let cache = caches.get(blueprints)
  if (cache?.version !== blueprints.version)
    caches.set(blueprints, (cache = { version: blueprints.version, byRole: new Map() }))
  const key = `${what} ${actor.user.role}`
  let templates = cache.byRole.get(key)
  if (!templates) cache.byRole.set(key, (templates = decideTemplates(app, options => fit(ctx, options))))
  return templates
}

function decideTemplates({ blueprints }: App, fit: (options: Options) => boolean): Templates {
  const fits = (template: string) => fit(blueprints.page(template).options)
  const known = blueprints.templates('pages')
  if (fits('default')) return { templates: undefined, except: known.filter(template => !fits(template)) }
  return { templates: known.filter(fits), except: [] }
}

import type { PageBlueprint } from '../../blueprints/blueprints.ts'
import { lockedBy } from '../../content/drafts/draft-lock.ts'
import { accountOf, type Caller, callerOf } from '../../access/actor.ts'
import type { RequestContext } from '../../http/context.ts'
import { isAllowed, type ContentPermission, permissionsOfCaller } from '../../access/authorize/authorize.ts'
import { pageBlueprintOf, ownerOfPage } from './pages.ts'
import type { PageRow } from './queries.ts'
import { isError, isHome, isPossible } from './rules.ts'

type Options = Readonly<Record<string, boolean>>

/** Cache: the options depend only on the blueprint and the key that `pageActions` builds. */
const optionsByRole = new WeakMap<PageBlueprint, Map<string, Options>>()
/** The scopes of a token limit the options, so they are remembered for the request only. */
const optionsByCaller = new WeakMap<Caller, Map<string, Options>>()

/**
 * What the caller may do with this page. False for actions that are impossible on it, such as deleting the home page.
 */
export function pageActions(ctx: RequestContext, page: PageRow): Options {
  const { app } = ctx
  const blueprint = pageBlueprintOf(app, page)
  const caller = ctx.actor.system ? undefined : callerOf(ctx)
  const byKind = caller?.token ? mapOf(optionsByCaller, caller) : mapOf(optionsByRole, blueprint)
  const kind = [
    caller?.user.role,
    page.template,
    page.status === 'listed',
    isHome(app, page),
    isError(app, page),
  ].join()
  let options = byKind.get(kind)
  if (!options) {
    // Shown only where it is set: otherwise it comes with `update`.
    const isPublishSet = caller !== undefined && permissionsOfCaller(app, caller).pages.publish !== undefined
    const names = new Set([...Object.keys(blueprint.options), ...(isPublishSet ? ['publish'] : [])])
    const actions = [...names].map(action => [
      action,
      isPossible(app, page, action) && isAllowed(ctx, `pages.${action}` as ContentPermission, blueprint),
    ])
    byKind.set(kind, (options = Object.fromEntries(actions) as Options))
  }
  return options
}

function mapOf<Key extends object>(maps: WeakMap<Key, Map<string, Options>>, key: Key): Map<string, Options> {
  let map = maps.get(key)
  if (!map) maps.set(key, (map = new Map()))
  return map
}

/** The same with the edit lock: while another user is editing the page, only `preview` is left. */
export function optionsNow(ctx: RequestContext, page: PageRow): Options | Promise<Options> {
  const options = pageActions(ctx, page)
  const isFree = page.editor === null || page.editor === accountOf(ctx)
  return isFree ? options : withLock(ctx, page, options)
}

async function withLock(ctx: RequestContext, page: PageRow, options: Options): Promise<Options> {
  if (!(await lockedBy(ctx, ownerOfPage(page.uuid)))) return options
  return Object.fromEntries(Object.entries(options).map(([action, may]) => [action, may && action === 'preview']))
}

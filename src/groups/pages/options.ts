import type { PageBlueprint } from '../../blueprints/blueprints.ts'
import { lockedBy } from '../../content/changes/draft-lock.ts'
import type { RequestContext } from '../../http/context.ts'
import { allowed } from '../../http/authenticate.ts'
import type { Permission } from '../../blueprints/permissions/permissions.ts'
import { blueprintOf, ownerOf } from './pages.ts'
import type { PageRow } from './queries.ts'
import { isError, isHome, isPossible } from './rules.ts'

type Options = Readonly<Record<string, boolean>>

/** Cache: the options depend only on the blueprint, the role and the key that `optionsOf` builds. */
const known = new WeakMap<PageBlueprint, Map<string, Options>>()

/**
 * What the caller may do with this page. False for actions that are impossible on it, such as deleting the home page.
 */
export function optionsOf({ app, caller }: RequestContext, page: PageRow): Options {
  const blueprint = blueprintOf(app, page)
  const ask = () =>
    Object.fromEntries(
      Object.keys(blueprint.options).map(action => [
        action,
        isPossible(app, page, action) && allowed(app, caller, `pages.${action}` as Permission, blueprint),
      ]),
    )
  if (caller.token) return ask()
  let byKind = known.get(blueprint)
  if (!byKind) known.set(blueprint, (byKind = new Map()))
  const kind = [caller.user.role, page.template, page.status === 'listed', isHome(app, page), isError(app, page)].join()
  let options = byKind.get(kind)
  if (!options) byKind.set(kind, (options = ask()))
  return options
}

/** The same with the edit lock: while another user is editing the page, only `preview` is left. */
export async function optionsNow(ctx: RequestContext, page: PageRow): Promise<Options> {
  const options = optionsOf(ctx, page)
  const { editor } = page
  if (editor === null || editor === ctx.caller.user.id || !(await lockedBy(ctx, ownerOf(page.uuid)))) return options
  return Object.fromEntries(Object.entries(options).map(([action, may]) => [action, may && action === 'preview']))
}

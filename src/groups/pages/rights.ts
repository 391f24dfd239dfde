import type { Status } from '../../blueprints/blueprints.ts'
import { fail } from '../../platform/errors.ts'
import { blueprintOf as fileBlueprintOf } from '../files/blueprint.ts'
import { isVisible as isVisibleFile } from '../files/target.ts'
import { allowed } from '../../http/authenticate.ts'
import type { RequestContext } from '../../http/context.ts'
import { blueprintOf, ownerOf } from './pages.ts'
import type { PageRow } from './queries.ts'
import { isVisible } from './target.ts'

type Templated = { template: string }
type Asking = Pick<RequestContext, 'app' | 'caller'>
type Action =
  | 'changeSlug'
  | 'changeStatus'
  | 'changeTemplate'
  | 'changeTitle'
  | 'duplicate'
  | 'move'
  | 'sort'
  | 'update'

/** Permissions depend only on the template, so each template is checked once, however many pages a subtree has. */
function byTemplate(decide: (page: Templated) => boolean): (page: Templated) => boolean {
  const known = new Map<string, boolean>()
  return page => {
    const isAllowed = known.get(page.template) ?? decide(page)
    known.set(page.template, isAllowed)
    return isAllowed
  }
}

/** Whether the caller may see pages of this template. */
export const seeing = ({ app, caller }: Asking) =>
  byTemplate(page => isVisible(app, caller, blueprintOf(app, page).options))

/** Repeats the permission check on the locked page: its template may have changed since the request was authorized. */
export const stillMay =
  ({ app, caller }: Asking, ...actions: Action[]) =>
  (page: Templated & { uuid: string }) => {
    const blueprint = blueprintOf(app, page)
    if (!isVisible(app, caller, blueprint.options)) throw fail('page.notFound', { id: ownerOf(page.uuid) })
    for (const action of actions)
      if (!allowed(app, caller, `pages.${action}`, blueprint)) throw fail(`page.${action}.permission`)
  }

/** A page that the caller may not see cannot be deleted as part of a subtree either. */
export const mayDelete = ({ app, caller }: Asking) =>
  byTemplate(page => {
    const blueprint = blueprintOf(app, page)
    return isVisible(app, caller, blueprint.options) && allowed(app, caller, 'pages.delete', blueprint)
  })

export const mayCreate = ({ app, caller }: Asking) =>
  byTemplate(page => allowed(app, caller, 'pages.create', blueprintOf(app, page)))

type TemplatedFile = { template: string | null }

export const mayDeleteFile =
  ({ app, caller }: Asking) =>
  (file: TemplatedFile) =>
    allowed(app, caller, 'files.delete', fileBlueprintOf(app, file))

export const mayCreateFile =
  ({ app, caller }: Asking) =>
  (file: TemplatedFile) =>
    allowed(app, caller, 'files.create', fileBlueprintOf(app, file))

export const seeingFile =
  ({ app, caller }: Asking) =>
  (file: TemplatedFile) =>
    isVisibleFile(app, caller, file)

/** listed → listed needs `pages.sort`; any other transition needs `pages.changeStatus`. */
export function mayHaveStatus(ctx: Asking, page: Pick<PageRow, 'uuid' | 'status' | 'template'>, status: Status): void {
  stillMay(ctx, page.status === 'listed' && status === 'listed' ? 'sort' : 'changeStatus')(page)
}

/** Moving needs `move`; another parent also needs `create` for this template, and a new slug `changeSlug`. */
export const mayMove =
  (ctx: Asking) =>
  (page: PageRow, { slug, isElsewhere }: { slug: string; isElsewhere: boolean }) => {
    stillMay(ctx, 'move')(page)
    if (isElsewhere && !mayCreate(ctx)(page)) throw fail('page.create.permission')
    if (slug !== page.slug) stillMay(ctx, 'changeSlug')(page)
  }

/**
 * Checks the sections only, because what they list may depend on the caller. Fields are checked when the page is
 * published.
 */
export async function sectionsMustBeComplete(ctx: RequestContext, page: PageRow): Promise<void> {
  const details = await ctx.sectionErrors(ctx, page)
  if (Object.keys(details).length > 0) throw fail('page.changeStatus.incomplete').with({ details })
}

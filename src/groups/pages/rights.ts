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

/** The template decides: of a branch of many thousand pages each is asked about once. */
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

/** The same question as at the door, about the page as it is when it is held: its template may be another one by then. */
export const stillMay =
  ({ app, caller }: Asking, ...actions: Action[]) =>
  (page: Templated & { uuid: string }) => {
    const blueprint = blueprintOf(app, page)
    if (!isVisible(app, caller, blueprint.options)) throw fail('page.notFound', { id: ownerOf(page.uuid) })
    for (const action of actions)
      if (!allowed(app, caller, `pages.${action}`, blueprint)) throw fail(`page.${action}.permission`)
  }

/** Pages that the caller may not see may not be deleted either, as part of others. */
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

/** What is listed and stays it is sorted; all else changes its status. */
export function mayHaveStatus(ctx: Asking, page: Pick<PageRow, 'uuid' | 'status' | 'template'>, status: Status): void {
  stillMay(ctx, page.status === 'listed' && status === 'listed' ? 'sort' : 'changeStatus')(page)
}

/** Whoever moves a page makes one at the other place, and with another slug changes its address. */
export const mayMove =
  (ctx: Asking) =>
  (page: PageRow, { slug, isElsewhere }: { slug: string; isElsewhere: boolean }) => {
    stillMay(ctx, 'move')(page)
    if (isElsewhere && !mayCreate(ctx)(page)) throw fail('page.create.permission')
    if (slug !== page.slug) stillMay(ctx, 'changeSlug')(page)
  }

/** The fields are asked where it is published; what its sections list may depend on who looks at them. */
export async function sectionsMustBeComplete(ctx: RequestContext, page: PageRow): Promise<void> {
  const details = await ctx.sectionErrors(ctx, page)
  if (Object.keys(details).length > 0) throw fail('page.changeStatus.incomplete').with({ details })
}

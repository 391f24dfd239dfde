import { previewedPage } from '../../access/actor.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import type { PermissionTarget } from '../../access/authorize/authorize.ts'
import { canViewPage } from '../../access/authorize/pages.ts'
import type { RequestContext } from '../../http/context.ts'
import { addTags } from '../../http/tags.ts'
import { pageBlueprintOf, findPage } from './pages.ts'
import type { PageRow } from './queries.ts'
import { tagsOfPage } from './tags.ts'
import { visibleOf } from './visible.ts'

/** The page a request is about. */
export interface PageTarget extends PermissionTarget {
  page: PageRow
}

/** In URLs an id has `+` instead of slashes. A page that the caller may not see is 404. */
export async function pageTarget({
  ctx,
  params,
}: {
  ctx: RequestContext
  params: { id: string }
}): Promise<PageTarget> {
  if (params.id.includes(':')) throw fail('page.notFound', { id: params.id }) // in URLs a uuid begins with `@`
  return visiblePage(ctx, idOf(params.id))
}

export async function visiblePage(ctx: RequestContext, id: string): Promise<PageTarget> {
  const finding = findPage(ctx.app, id, await ctx.language())
  const found = await (ctx.actor.isAnonymous ? inScope(ctx, finding) : finding)
  const isSeen = ctx.actor.isAnonymous ? (await visibleOf(ctx, [found])).length > 0 : canViewPage(ctx, found)
  if (!isSeen) throw fail('page.notFound', { id })
  addTags(ctx, () => tagsOfPage(found))
  return { page: found, options: pageBlueprintOf(ctx.app, found).options }
}

/** The preview pass of a page opens no other page, and does not reveal whether it exists. */
async function inScope({ actor }: RequestContext, finding: Promise<PageRow>): Promise<PageRow> {
  const previewed = previewedPage(actor)
  if (previewed === undefined) return finding
  const found = await finding.catch((error: unknown) => {
    throw error instanceof ApiError ? fail('auth') : error
  })
  if (found.uuid !== previewed) throw fail('auth')
  return found
}

/** `exhibits+tide-machine.html` → `exhibits/tide-machine` */
export function idOf(param: string): string {
  return param.replaceAll('+', '/').replace(/\.[^./]*$/, '')
}

import { type ActorContext, isStranger } from '../../access/actor.ts'
import { seesPage, seesTemplate } from '../../access/authorize/pages.ts'
import type { PageRow } from './queries.ts'
import { selectDraftsAmong } from './queries.ts'
import { ancestorsOf } from './tree/lock.ts'

type Row = Pick<PageRow, 'path' | 'status' | 'template'>

/** The pages that the actor may see. Strangers see published pages, as far as all pages above are published, too. */
export async function visibleOf<Page extends Row>(ctx: ActorContext, pages: readonly Page[]): Promise<Page[]> {
  if (!isStranger(ctx.actor)) return pages.filter(page => seesPage(ctx, page))
  const published = pages.filter(page => isPublishedFor(ctx, page))
  const above = new Set(published.flatMap(({ path }) => ancestorsOf(path)))
  if (above.size === 0 || ctx.actor.pass) return published
  const drafts = new Set(await selectDraftsAmong(ctx.app.store, [...above]))
  return published.filter(({ path }) => !ancestorsOf(path).some(one => drafts.has(one)))
}

/** The same for a page above or below of one that the actor sees: then no page above it is a draft. */
export function isVisibleBeside(ctx: ActorContext, page: Row): boolean {
  return isStranger(ctx.actor) ? isPublishedFor(ctx, page) : seesPage(ctx, page)
}

/** The holder of a preview pass sees drafts as if they were published. */
const isPublishedFor = (ctx: ActorContext, page: Row) => {
  const isHolder = isStranger(ctx.actor) && ctx.actor.pass !== undefined
  return (isHolder || page.status !== 'draft') && seesTemplate(ctx, page)
}

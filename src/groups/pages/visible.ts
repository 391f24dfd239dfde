import { type ActorContext, isStranger, pageOfPass } from '../../access/actor.ts'
import { seesPage, seesTemplate } from '../../access/authorize/pages.ts'
import type { PageRow } from './queries.ts'
import { selectDraftsAmong } from './queries.ts'
import { ancestorsOf } from './tree/lock.ts'

type Row = Pick<PageRow, 'uuid' | 'path' | 'status' | 'template'>

/** The pages that the actor may see. Strangers see published pages, as far as all pages above are published, too. */
export async function visibleOf<Page extends Row>(ctx: ActorContext, pages: readonly Page[]): Promise<Page[]> {
  if (!isStranger(ctx.actor)) return pages.filter(page => seesPage(ctx, page))
  const published = pages.filter(page => isPublishedFor(ctx, page))
  const above = new Set(published.flatMap(({ path }) => ancestorsOf(path)))
  const { pass } = ctx.actor
  const previewed = pass && pageOfPass(pass)
  if (above.size === 0 || (pass && previewed === undefined)) return published
  const drafts = new Set(await selectDraftsAmong(ctx.app.store, [...above]))
  const isBelowDraft = ({ path }: Page) => ancestorsOf(path).some(one => drafts.has(one))
  return published.filter(page => page.uuid === previewed || !isBelowDraft(page))
}

/** The same for a page above or below of one that the actor sees: then no page above it is a draft. */
export function isVisibleBeside(ctx: ActorContext, page: Row): boolean {
  return isStranger(ctx.actor) ? isPublishedFor(ctx, page) : seesPage(ctx, page)
}

/** The holder of a preview pass sees the draft that it is for, or all, as if they were published. */
function isPublishedFor(ctx: ActorContext, page: Row): boolean {
  const pass = isStranger(ctx.actor) ? ctx.actor.pass : undefined
  const isPreviewed = pass !== undefined && [undefined, page.uuid].includes(pageOfPass(pass))
  return (isPreviewed || page.status !== 'draft') && seesTemplate(ctx, page)
}

import { type Actor, type ActorContext, isPassOfSite, previewedPage, previewedRelease } from '../../access/actor.ts'
import { isPublishedFor, canViewPage } from '../../access/authorize/pages.ts'
import type { PageRow } from './queries.ts'
import { selectDraftsAmong, selectPathOf } from './queries.ts'
import { ancestorsOf } from './tree/lock.ts'

type Row = Pick<PageRow, 'uuid' | 'path' | 'status' | 'template'>

/** The pages that the actor may see. Anonymous clients see published pages, as far as all pages above are published, too. */
export async function visibleOf<Page extends Row>(ctx: ActorContext, pages: readonly Page[]): Promise<Page[]> {
  if (!ctx.actor.isAnonymous) return pages.filter(page => canViewPage(ctx, page))
  const published = pages.filter(page => isPublishedFor(ctx, page))
  const above = new Set(published.flatMap(({ path }) => ancestorsOf(path)))
  const canViewDrafts = ctx.actor.pass !== undefined && isPassOfSite(ctx.actor.pass)
  if (above.size === 0 || canViewDrafts) return published
  const drafts = draftsFor(ctx, await selectDraftsAmong(ctx.app.store, [...above]))
  const previewed = drafts.size === 0 ? undefined : await previewedIn(ctx)
  return published.filter(page => !isBelowDraft(page, drafts, previewed?.path))
}

/** A release publishes some drafts, and makes drafts of some pages. */
function draftsFor({ actor }: ActorContext, drafts: readonly string[]): ReadonlySet<string> {
  const found = new Set(drafts)
  for (const { path, status } of previewedRelease(actor)?.statuses ?? [])
    if (status === 'draft') found.add(path)
    else found.delete(path)
  return found
}

/** The same for a page above or below of one that the actor sees: then no page above it is a draft. */
export function isRelatedPageVisible(ctx: ActorContext, page: Row): boolean {
  return ctx.actor.isAnonymous ? isPublishedFor(ctx, page) : canViewPage(ctx, page)
}

/**
 * Of pages beside or above one that the actor sees, those that are below no draft. Only the pass of a page opens one
 * that is below a draft.
 */
export async function notBelowDrafts<Page extends Row>(ctx: ActorContext, pages: Page[]): Promise<Page[]> {
  const previewed = await previewedIn(ctx)
  return previewed ? pages.filter(page => !isBelowDraft(page, previewed.drafts, previewed.path)) : pages
}

/** What the pass of a page opens is shown as if the pages above it were published. */
function isBelowDraft({ path }: Row, drafts: ReadonlySet<string>, previewed: string | undefined): boolean {
  const isOpen = previewed !== undefined && (path === previewed || path.startsWith(`${previewed}/`))
  return ancestorsOf(path).some(one => drafts.has(one) && !(isOpen && one.length <= previewed.length))
}

/** The page that a pass is for, and which pages above it are drafts. */
interface Previewed {
  path: string
  drafts: ReadonlySet<string>
}

/** Per request: with a pass, each has an actor of its own. */
const previewedBy = new WeakMap<Actor, Promise<Previewed | undefined>>()

function previewedIn(ctx: ActorContext): Promise<Previewed | undefined> | undefined {
  const uuid = previewedPage(ctx.actor)
  if (uuid === undefined) return undefined
  let found = previewedBy.get(ctx.actor)
  if (!found) previewedBy.set(ctx.actor, (found = findPreviewed(ctx, uuid)))
  return found
}

async function findPreviewed({ app: { store } }: ActorContext, uuid: string): Promise<Previewed | undefined> {
  const path = await selectPathOf(store, uuid)
  if (path === undefined) return undefined
  const above = ancestorsOf(path)
  return { path, drafts: new Set(above.length === 0 ? [] : await selectDraftsAmong(store, above)) }
}

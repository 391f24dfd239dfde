import { z } from 'zod'
import type { RequestContext } from '../../../http/context.ts'
import { addTags } from '../../../http/tags.ts'
import { batched } from '../../../platform/store/batch.ts'
import { titleOfPage } from '../pages.ts'
import type { PageRow } from '../queries.ts'
import { listableTemplates } from '../../../access/authorize/pages.ts'
import { siblingsOf } from '../related.ts'
import { tagsOfPage } from '../tags.ts'
import { notBelowDrafts } from '../visible.ts'
import { selectPageNeighbours, type Direction } from './queries.ts'
import { namedSchema } from '../../../platform/lib/schema-names.ts'

export const neighboursSchema = namedSchema('Neighbour', z.object({ id: z.string(), title: z.string() }).nullable())

type Find = (uuid: string) => Promise<PageRow | undefined>
const findersByRequest = new WeakMap<RequestContext, Map<string, Find>>()

/**
 * The previous or next page of the same status that the caller may list. Batched: one query for all pages of a list.
 */
export async function neighboursOf(
  ctx: RequestContext,
  page: PageRow,
  step: Direction,
): Promise<z.output<typeof neighboursSchema>> {
  const { uuid, status } = page
  if (ctx.actor.isAnonymous && ctx.actor.pass?.release) return releasedNeighbour(ctx, page, step)
  // The neighbours of an unlisted page are unlisted.
  if (ctx.actor.isAnonymous && status !== 'listed') return null
  const finders = findersByRequest.get(ctx) ?? new Map<string, Find>()
  findersByRequest.set(ctx, finders)
  const isListed = status === 'listed'
  const key = `${step} ${isListed}`
  let find = finders.get(key)
  if (!find) finders.set(key, (find = finderOf(ctx, step, isListed)))
  const found = await find(uuid)
  const [neighbour] = found ? await notBelowDrafts(ctx, [found]) : []
  if (neighbour) addTags(ctx, () => tagsOfPage(neighbour))
  return neighbour ? { id: neighbour.path, title: titleOfPage(ctx.app, neighbour) } : null
}

/** In the preview of a release: among the pages that it leaves listed. */
async function releasedNeighbour(ctx: RequestContext, page: PageRow, step: Direction) {
  const siblings = await siblingsOf(ctx, page)
  const index = siblings.findIndex(({ uuid }) => uuid === page.uuid)
  const neighbour = index === -1 ? undefined : siblings[index + step]
  return neighbour ? { id: neighbour.path, title: titleOfPage(ctx.app, neighbour) } : null
}

function finderOf(ctx: RequestContext, step: Direction, isListed: boolean): Find {
  const { app } = ctx
  const templates = listableTemplates(ctx)
  const load = batched(
    async (store, uuids) => selectPageNeighbours(store, await ctx.language(), { ...templates, step, isListed }, uuids),
    ({ of }) => of,
  )
  return async uuid => (await load(app.store, uuid))?.page
}

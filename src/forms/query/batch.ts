import type { RequestContext } from '../../http/context.ts'
import { batched } from '../../platform/store/batch.ts'

/**
 * Returns a loader for single references. Simultaneous lookups of one request, such as those of the items of a list,
 * share one statement. Results are cached for the request.
 */
export function batchedPerRequest<Row>(
  find: (ctx: RequestContext, references: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
): (ctx: RequestContext, reference: string) => Promise<Row | undefined> {
  const loaders = new WeakMap<RequestContext, (reference: string) => Promise<Row | undefined>>()
  return (ctx, reference) => {
    let one = loaders.get(ctx)
    if (!one) loaders.set(ctx, (one = withCache(ctx, find)))
    return one(reference)
  }
}

function withCache<Row>(
  ctx: RequestContext,
  find: (ctx: RequestContext, references: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
): (reference: string) => Promise<Row | undefined> {
  const load = batched(
    async (_, references) => [...(await find(ctx, references))],
    ([reference]) => reference,
  )
  const found = new Map<string, Promise<Row | undefined>>()
  return reference => {
    let one = found.get(reference)
    if (!one) found.set(reference, (one = load(ctx.app.store, reference).then(entry => entry?.[1])))
    return one
  }
}

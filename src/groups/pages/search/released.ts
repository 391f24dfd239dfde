import { previewedRelease, type ReleasePreview } from '../../../access/actor.ts'
import { hasTemplate } from '../../../access/authorize/templates.ts'
import { statusIn } from '../../../access/preview/release.ts'
import type { Status } from '../../../blueprints/blueprints.ts'
import type { RequestContext } from '../../../http/context.ts'
import { uuidIn } from '../pages.ts'
import type { PageRow } from '../queries.ts'
import { visibleOf } from '../visible.ts'
import type { PageSearch } from './queries.ts'

/** The uuids of the pages whose drafts a release publishes: the index does not have these texts. */
export const changedIn = ({ owners }: ReleasePreview): string[] => owners.flatMap(owner => uuidIn(owner) ?? [])

/** In the preview of a release, the pages that visitors find once it is published; otherwise all. */
export function asReleased(
  ctx: RequestContext,
  search: PageSearch,
  statuses: readonly Status[],
  batches: AsyncGenerator<PageRow[]>,
): AsyncGenerator<PageRow[]> {
  const release = previewedRelease(ctx.actor)
  return release ? filtered(ctx, search, batches, page => statuses.includes(statusIn(release, page))) : batches
}

async function* filtered(
  ctx: RequestContext,
  search: PageSearch,
  batches: AsyncGenerator<PageRow[]>,
  hasStatus: (page: PageRow) => boolean,
): AsyncGenerator<PageRow[]> {
  for await (const pages of batches) {
    const found = pages.filter(
      page =>
        hasStatus(page) &&
        (search.parent === undefined || search.parent === page.parent) &&
        hasTemplate(search, page.template),
    )
    yield await visibleOf(ctx, found)
  }
}

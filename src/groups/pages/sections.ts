import { fail } from '../../platform/errors.ts'
import type { RequestContext } from '../../http/context.ts'
import type { PageRow } from './queries.ts'

/**
 * Checks the sections only, because what they list may depend on the caller. Fields are checked when the page is
 * published.
 */
export async function sectionsMustBeComplete(ctx: RequestContext, page: PageRow): Promise<void> {
  const details = await ctx.sectionErrors(ctx, page)
  if (Object.keys(details).length > 0) throw fail('page.changeStatus.incomplete').with({ details })
}

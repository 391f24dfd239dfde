import { contentResource } from '../../content/resource.ts'
import { pageModelOf, reloadPage } from './pages.ts'
import type { PageTarget } from './target.ts'
import { pageView } from './view.ts'

/** Pages for their own endpoints, and for those of their drafts and versions. */
export const { show, readChange, respondWithUpdated, versioned } = contentResource({
  view: pageView,
  modelOf: (app, { page: found }: PageTarget) => pageModelOf(app, found),
  reload: async (ctx, { page: found }) => reloadPage(ctx.app, found.uuid, await ctx.language()),
  revisionOf: row => row.revision,
})

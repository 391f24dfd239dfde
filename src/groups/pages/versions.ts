import { isPageActionAllowed } from '../../access/authorize/pages.ts'
import type { FindRequest, Versioned } from '../../content/versioned.ts'
import { versionsOf } from '../../content/versions.ts'
import { mount } from '../../http/endpoint.ts'
import { ruledPage } from './page-rules.ts'
import { pageContentIn, pageModelOf } from './pages.ts'
import { versioned } from './resource.ts'
import { slugInContent } from './slugs/slugs.ts'
import { pageTarget } from './target.ts'
import { lockPage } from './tree/lock.ts'
import { updatePage } from './update.ts'

/** The draft and the published versions of a page. */
export const versions = mount(
  '/pages/:id',
  versionsOf({ find: versionedPage, findToRead: versionedPage, access: 'pages.update' }),
)

async function versionedPage(request: FindRequest<{ id: string }>): Promise<Versioned> {
  const { app, ctx } = request
  const target = await pageTarget(request)
  const { page: found } = target
  const language = await ctx.language()
  const slug = await slugInContent(ctx, language, found)
  return versioned(ctx, target, {
    async lock(tx, refusal) {
      const locked = await lockPage(ctx, tx, found.uuid, ['update'], language, false, refusal)
      return {
        revision: locked.revision,
        model: pageModelOf(app, locked),
        canChangeTitle: isPageActionAllowed(ctx, 'changeTitle', locked),
      }
    },
    ruled: () => ruledPage(found),
    contentIn: sent => pageContentIn({ uuid: found.uuid, slug }, sent),
    update: async change => (await updatePage(ctx, found, change)).revision,
  })
}

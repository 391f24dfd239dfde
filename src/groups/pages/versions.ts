import type { FindRequest, Versioned } from '../../content/versioned.ts'
import { versionsOf } from '../../content/versions.ts'
import { mount } from '../../http/endpoint.ts'
import { contentIn, modelOf, reloadPage } from './pages.ts'
import { slugInContent } from './slugs/slugs.ts'
import { stillMay } from './rights.ts'
import { page } from './target.ts'
import { lockPage } from './tree/lock.ts'
import { updatePage } from './update.ts'
import { pageView } from './view.ts'

/** The draft and the published versions of a page. */
export const versions = mount(
  '/pages/:id',
  versionsOf({ find: versionedPage, access: 'pages.update', title: 'pages.changeTitle' }),
)

async function versionedPage(request: FindRequest<{ id: string }>): Promise<Versioned> {
  const { app } = request
  const check = stillMay(request.ctx, 'update')
  const { page: found, ...thing } = await page(request)
  const language = await request.ctx.language()
  const slug = await slugInContent(request.ctx, found)
  return {
    ...thing,
    model: modelOf(app, found),
    async lock(tx) {
      const now = await lockPage(app, tx, found.uuid, language)
      check(now)
      return now.revision
    },
    contentIn: sent => contentIn({ uuid: found.uuid, slug }, sent),
    update: change => updatePage(app, found, { ...change, check }),
    show: async ctx => pageView.show(ctx, await reloadPage(app, found.uuid, await ctx.language())),
  }
}

import type { FindRequest, Versioned } from '../content/versioned.ts'
import { versionsOf } from '../content/versions.ts'
import { mount } from '../http/endpoint.ts'
import { contentIn, modelOf, readAgain } from './pages.ts'
import { slugInContent } from './slugs/slugs.ts'
import { stillMay } from './rights.ts'
import { page } from './target.ts'
import { holdPage } from './tree/hold.ts'
import { updatePage } from './update.ts'
import { pageView } from './view.ts'

/** What was written and not published, and what was published before, of a page. */
export const versions = mount(
  '/pages/:id',
  versionsOf({ find: versionedPage, access: 'pages.update', title: 'pages.changeTitle' }),
)

async function versionedPage(request: FindRequest<{ id: string }>): Promise<Versioned> {
  const { app } = request
  const check = stillMay(request.look, 'update')
  const { page: found, ...thing } = await page(request)
  const language = await request.look.language()
  const slug = await slugInContent(request.look, found)
  return {
    ...thing,
    model: modelOf(app, found),
    async hold(tx) {
      const now = await holdPage(app, tx, found.uuid, language)
      check(now)
      return now.revision
    },
    contentIn: sent => contentIn({ uuid: found.uuid, slug }, sent),
    update: change => updatePage(app, found, { ...change, check }),
    show: async look => pageView.show(look, await readAgain(app, found.uuid, await look.language())),
  }
}

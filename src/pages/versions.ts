import type { FindRequest, Versioned } from '../content/versioned.ts'
import { versionsOf } from '../content/versions.ts'
import { mount } from '../http/endpoint.ts'
import { modelOf, readAgain } from './pages.ts'
import { page } from './target.ts'
import { holdPage } from './tree/hold.ts'
import { updatePage } from './update.ts'
import { pageView } from './view.ts'

/** What was written and not published, and what was published before, of a page. */
export const versions = mount('/pages/:id', versionsOf({ find: versionedPage, access: 'pages.update' }))

async function versionedPage(request: FindRequest<{ id: string }>): Promise<Versioned> {
  const { app } = request
  const { page: found, ...thing } = await page(request)
  const language = await request.look.language()
  return {
    ...thing,
    model: modelOf(app, found),
    hold: async tx => (await holdPage(app, tx, found.uuid, language)).revision,
    update: change => updatePage(app, found, change),
    show: async look => pageView.show(look, await readAgain(app, found.uuid, await look.language())),
  }
}

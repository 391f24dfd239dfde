import type { App } from '../../app.ts'
import type { FileParent } from '../files/target.ts'
import { pageBlueprintOf, ownerOfPage } from './pages.ts'
import type { PageRow } from './queries.ts'

/** A page as the parent of files. Files have permissions of their own. */
export function pageFileParent(page: PageRow, app: App): FileParent<PageRow> {
  const { path, uuid } = page
  const form = pageBlueprintOf(app, page)
  return {
    model: page,
    owner: ownerOfPage(uuid),
    place: `pages/${path}`,
    link: `/pages/${path.replaceAll('/', '+')}`,
    idPrefix: `${path}/`,
    canChange: true,
    form,
    options: form.options,
  }
}

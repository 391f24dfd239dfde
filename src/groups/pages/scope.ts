import type { App } from '../../app.ts'
import type { Scope } from '../../blueprints/query.ts'
import type { StoredContent } from '../../content/content.ts'
import type { PageRow } from './queries.ts'
import { ownerOfPage } from './pages.ts'

/** The values that placeholders in the blueprint of the page can use: its properties and its content, as text. */
export function placeholdersOf({ config }: App, page: PageRow, content: StoredContent): Scope {
  const { path, slug, status, num, template, uuid } = page
  const facts = {
    id: path,
    slug,
    status,
    num,
    template,
    intendedTemplate: template,
    uuid: ownerOfPage(uuid),
    url: `${config.site.url ?? config.url}/${path}`,
    isDraft: status === 'draft',
    isListed: status === 'listed',
    isUnlisted: status === 'unlisted',
  }
  const shown = { ...facts, ...content, title: content['title'] || slug }
  return { page: shown, model: shown, site: { url: config.site.url ?? config.url } }
}

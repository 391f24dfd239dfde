import type { Look } from '../../http/look.ts'
import type { PageRow } from '../queries.ts'

/** The slug in the language that is looked at; that of the default language where it has no other. */
export async function slugOf(_look: Look, page: PageRow): Promise<string> {
  return page.slug
}

/** The public address in the language that is looked at. The home page has that of the site. */
export async function urlOf({ app }: Look, page: PageRow): Promise<string> {
  return page.path === app.config.home ? app.config.url : `${app.config.url}/${page.path}`
}

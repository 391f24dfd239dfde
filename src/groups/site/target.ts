import type { App } from '../../app.ts'
import { fail } from '../../platform/errors.ts'
import type { PermissionTarget } from '../../http/endpoint.ts'
import type { Caller } from '../../access/session/identify.ts'
import { canSee } from '../../access/session/rights.ts'
import type { FileParent } from '../files/target.ts'
import { selectSite, type SiteRow } from './queries.ts'
import { owner } from './site.ts'

/** The site, as what a request is about. */
export interface SiteTarget extends PermissionTarget {
  site: SiteRow
}

/** Everybody knows that there is a site: who has no access to it is told so. Its pages have rights of their own. */
export async function site({ app, caller }: { app: App; caller: Caller | undefined }): Promise<SiteTarget> {
  if (!isOpen({ app, caller: caller! })) throw fail('site.access.permission')
  return { site: await selectSite(app.store), options: app.blueprints.site().options }
}

/** Whether the caller may see what the site itself has. */
export function isOpen({ app, caller }: { app: App; caller: Caller }): boolean {
  return canSee(app, caller, 'access.site', app.blueprints.site().options['access'])
}

/** As what files belong to. Files have rights of their own. */
export function fileParent<Row>(row: Row, { blueprints }: Pick<App, 'blueprints'>): FileParent<Row> {
  const form = blueprints.site()
  const { options } = form
  return { model: row, owner, place: 'site', link: '/site', idPrefix: '', mayChange: true, form, options }
}

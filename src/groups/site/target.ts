import type { App } from '../../app.ts'
import { fail } from '../../platform/errors.ts'
import type { PermissionTarget } from '../../http/endpoint.ts'
import type { Caller } from '../../access/session/identify.ts'
import { canSee } from '../../access/session/rights.ts'
import type { FileParent } from '../files/target.ts'
import { selectSite, type SiteRow } from './queries.ts'
import { owner } from './site.ts'

/** The site as the target of a request. */
export interface SiteTarget extends PermissionTarget {
  site: SiteRow
}

/** The existence of the site is no secret, so missing access is 403, not 404. Pages have their own permissions. */
export async function site({ app, caller }: { app: App; caller: Caller | undefined }): Promise<SiteTarget> {
  if (!isOpen({ app, caller: caller! })) throw fail('site.access.permission')
  return { site: await selectSite(app.store), options: app.blueprints.site().options }
}

/** Whether the caller may see the content and files of the site. */
export function isOpen({ app, caller }: { app: App; caller: Caller }): boolean {
  return canSee(app, caller, 'access.site', app.blueprints.site().options['access'])
}

/** The site as the parent of files, which have their own permissions. */
export function fileParent<Row>(row: Row, { blueprints }: Pick<App, 'blueprints'>): FileParent<Row> {
  const form = blueprints.site()
  const { options } = form
  return { model: row, owner, place: 'site', link: '/site', idPrefix: '', mayChange: true, form, options }
}

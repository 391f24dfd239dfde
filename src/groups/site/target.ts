import type { App } from '../../app.ts'
import { type PermissionTarget, siteMustBeVisible } from '../../access/authorize/authorize.ts'
import type { RequestContext } from '../../http/context.ts'
import { addTags, tagOfSite } from '../../http/tags.ts'
import type { FileParent } from '../files/target.ts'
import { selectSite, type SiteRow } from './queries.ts'
import { siteOwner } from './site.ts'

/** The site as the target of a request. */
export interface SiteTarget extends PermissionTarget {
  site: SiteRow
}

/** Pages have their own permissions. */
export async function siteTarget({ ctx }: { ctx: RequestContext }): Promise<SiteTarget> {
  const { app } = ctx
  siteMustBeVisible(ctx)
  addTags(ctx, () => [tagOfSite])
  return { site: await selectSite(app.store), options: app.blueprints.site().options }
}

/** The site as the parent of files, which have their own permissions. */
export function siteFileParent<Row>(row: Row, { blueprints }: Pick<App, 'blueprints'>): FileParent<Row> {
  const form = blueprints.site()
  const { options } = form
  return { model: row, owner: siteOwner, place: 'site', link: '/site', idPrefix: '', canChange: true, form, options }
}

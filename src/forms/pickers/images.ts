import { isMap } from '../../blueprints/fields/stored.ts'
import type { PanelImage } from '../../blueprints/panel-image.ts'
import { query } from '../../blueprints/query.ts'
import { defaultPageImage, panelImage, type ImageSource, userImage } from '../../content/panel-image.ts'
import { firstImageOf } from '../../groups/files/files.ts'
import { type FileModel, listedRows } from '../../groups/files/target.ts'
import { imageOf, imageSourceOf } from '../../groups/files/view.ts'
import type { RequestContext } from '../../http/context.ts'
import { pageFileParent } from '../../groups/pages/files.ts'
import { pageBlueprintOf, ownerOfPage } from '../../groups/pages/pages.ts'
import type { PageRow } from '../../groups/pages/queries.ts'
import { modelsIn } from '../query/lists.ts'
import { scopeOf, type Subject } from '../query/scope.ts'
import { findAvatar } from '../../groups/users/avatar/view.ts'

/** The image of a model in a list: settings of the list, overridden by those of its blueprint. */
export async function imageFor(
  ctx: RequestContext,
  subject: Exclude<Subject, { kind: 'site' }>,
  setting: unknown,
  layout?: string,
): Promise<PanelImage | null> {
  if (subject.kind === 'user') {
    const settings = [settingOf(setting), ctx.app.blueprints.user(subject.row.role)?.image]
    const avatar = settings.includes(false) ? null : await findAvatar(subject.row, ctx)
    return panelImage(userImage, settings, { source: avatar ? imageSourceOf(avatar, ctx) : undefined, layout })
  }
  if (subject.kind === 'file') return imageOf(subject.row, ctx, [settingOf(setting)], layout)
  const { icon, image } = pageBlueprintOf(ctx.app, subject.row)
  const settings = [settingOf(setting), settingOf(image)]
  const source = settings.includes(false) ? undefined : await imageSourceFor(ctx, subject.row, settings)
  return panelImage(defaultPageImage(icon), settings, { source, layout })
}

/** The same for a page outside of a list. */
export function pageImage(ctx: RequestContext, row: PageRow): Promise<PanelImage | null> {
  return imageFor(ctx, { kind: 'page', row }, undefined)
}

/** `image: page.cover.toFile` is short for a query. */
const settingOf = (setting: unknown) => (typeof setting === 'string' ? { query: setting } : setting)

/** The result of the last setting with a `query`, or else the first image of the page. */
async function imageSourceFor(
  ctx: RequestContext,
  page: PageRow,
  settings: readonly unknown[],
): Promise<ImageSource | undefined> {
  const queried = settings.filter(isMap).findLast(setting => setting['query'] !== undefined)?.['query']
  if (queried === false || queried === 'icon') return undefined
  if (typeof queried === 'string') {
    const scope = scopeOf(ctx, { kind: 'page', row: page })
    // The name of a files field is enough: `page.cover` means `page.cover.toFiles`.
    const found =
      (await modelsIn(await query(queried, scope))) ?? (await modelsIn(await query(`${queried}.toFiles`, scope)))
    const file = found?.find(({ kind }) => kind === 'file')
    return file && imageSourceOf(file.row as FileModel, ctx)
  }
  const file = firstImageOf(await listedRows(ctx, ownerOfPage(page.uuid)))
  return file && imageSourceOf({ file, parent: pageFileParent(page, ctx.app) }, ctx)
}

import { isMap } from '../blueprints/fields/stored.ts'
import { query } from '../blueprints/query.ts'
import {
  type PanelImage,
  pageImage as usualImage,
  panelImage,
  type Picture,
  userImage,
} from '../content/panel-image.ts'
import { firstPictureOf } from '../files/files.ts'
import { type FileModel, listedRows } from '../files/target.ts'
import { imageOf, pictureOf } from '../files/view.ts'
import type { Look } from '../http/look.ts'
import { fileParent } from '../pages/files.ts'
import { blueprintOf, ownerOf } from '../pages/pages.ts'
import type { PageRow } from '../pages/queries.ts'
import { thingsIn } from '../scope/lists.ts'
import { scopeOf, type Subject } from '../scope/scope.ts'
import { findAvatar } from '../users/avatar/view.ts'

/** How the panel shows a thing in a list: as the list says, and over that as its blueprint does. */
export async function imageFor(
  look: Look,
  subject: Exclude<Subject, { kind: 'site' }>,
  setting: unknown,
  layout?: string,
): Promise<PanelImage | null> {
  if (subject.kind === 'user') {
    const settings = [settingOf(setting), look.app.blueprints.user(subject.row.role)?.image]
    const avatar = settings.includes(false) ? null : await findAvatar(subject.row, look)
    return panelImage(userImage, settings, { picture: avatar ? pictureOf(avatar, look) : undefined, layout })
  }
  if (subject.kind === 'file') return imageOf(subject.row, look, [settingOf(setting)], layout)
  const { icon, image } = blueprintOf(look.app, subject.row)
  const settings = [settingOf(setting), settingOf(image)]
  const picture = settings.includes(false) ? undefined : await pictureFor(look, subject.row, settings)
  return panelImage(usualImage(icon), settings, { picture, layout })
}

/** The same for a page that is in no list of its own. */
export function pageImage(look: Look, row: PageRow): Promise<PanelImage | null> {
  return imageFor(look, { kind: 'page', row }, undefined)
}

/** `image: page.cover.toFile` is short for a query. */
const settingOf = (setting: unknown) => (typeof setting === 'string' ? { query: setting } : setting)

/** The one that the last query gives, or else the first picture of the page. */
async function pictureFor(look: Look, page: PageRow, settings: readonly unknown[]): Promise<Picture | undefined> {
  const source = settings.filter(isMap).findLast(setting => setting['query'] !== undefined)?.['query']
  if (source === false || source === 'icon') return undefined
  if (typeof source === 'string') {
    const scope = scopeOf(look, { kind: 'page', row: page })
    // A files field may be named as it is: `page.cover` means `page.cover.toFiles`.
    const found =
      (await thingsIn(await query(source, scope))) ?? (await thingsIn(await query(`${source}.toFiles`, scope)))
    const file = found?.find(({ kind }) => kind === 'file')
    return file && pictureOf(file.row as FileModel, look)
  }
  const file = firstPictureOf(await listedRows(look, ownerOf(page.uuid)))
  return file && pictureOf({ file, parent: fileParent(page, look.app) }, look)
}

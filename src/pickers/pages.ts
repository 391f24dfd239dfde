import type { Field } from '../blueprints/fields/field.ts'
import type { Look } from '../http/look.ts'
import { ownerOf, titleOf } from '../pages/pages.ts'
import type { PageRow } from '../pages/queries.ts'
import { hasChildren } from '../pages/related.ts'
import { urlOf } from '../pages/slugs/slugs.ts'
import { linkOf } from '../pages/view.ts'
import { referredPages } from '../scope/referred.ts'
import { together } from '../scope/together.ts'
import { imageFor } from './images.ts'
import { textFor } from './texts.ts'

export const findPage = together(referredPages)

export async function pageEntry(look: Look, page: PageRow, field: Field) {
  const subject = { kind: 'page', row: page } as const
  const title = titleOf(look.app, page)
  const [image, info = '', text = title, hasPages, url] = await Promise.all([
    imageFor(look, subject, field['image'], String(field['layout'])),
    textFor(look, field['info'], subject),
    textFor(look, field['text'], subject),
    hasChildren(look, page),
    urlOf(look, page),
  ])
  return {
    dragText: dragTextOf(look, page),
    hasChildren: hasPages,
    id: page.path,
    image,
    info,
    link: linkOf(page),
    sortable: true,
    text,
    url,
    uuid: ownerOf(page.uuid),
  }
}

/** What is put into a text where a page is dropped. */
export const dragTextOf = ({ app }: Look, page: PageRow) => `(link: ${ownerOf(page.uuid)} text: ${titleOf(app, page)})`

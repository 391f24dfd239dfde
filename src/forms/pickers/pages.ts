import type { Field } from '../../blueprints/fields/field.ts'
import type { RequestContext } from '../../http/context.ts'
import { ownerOfPage, titleOfPage } from '../../groups/pages/pages.ts'
import type { PageRow } from '../../groups/pages/queries.ts'
import { hasChildren } from '../../groups/pages/related.ts'
import { urlOf } from '../../groups/pages/slugs/slugs.ts'
import { linkOfPage } from '../../groups/pages/view.ts'
import { resolvePages } from '../query/references.ts'
import { batchedPerRequest } from '../query/batch.ts'
import { imageFor } from './images.ts'
import { textFor } from './texts.ts'

export const findPage = batchedPerRequest(resolvePages)

/** What anonymous clients see of a referenced page. */
export async function briefPageEntry(ctx: RequestContext, page: PageRow) {
  const [hasPages, url] = await Promise.all([hasChildren(ctx, page), urlOf(ctx, page)])
  return { hasChildren: hasPages, id: page.path, text: titleOfPage(ctx.app, page), url, uuid: ownerOfPage(page.uuid) }
}

export async function pageEntry(ctx: RequestContext, page: PageRow, field: Field) {
  const subject = { kind: 'page', row: page } as const
  const title = titleOfPage(ctx.app, page)
  const [image, info = '', text = title, hasPages, url] = await Promise.all([
    imageFor(ctx, subject, field['image'], String(field['layout'])),
    textFor(ctx, field['info'], subject),
    textFor(ctx, field['text'], subject),
    hasChildren(ctx, page),
    urlOf(ctx, page),
  ])
  return {
    dragText: dragTextOf(ctx, page),
    hasChildren: hasPages,
    id: page.path,
    image,
    info,
    link: linkOfPage(page),
    sortable: true,
    text,
    url,
    uuid: ownerOfPage(page.uuid),
  }
}

/** Text that is inserted when the page is dropped into a textarea. */
export const dragTextOf = ({ app }: RequestContext, page: PageRow) =>
  `(link: ${ownerOfPage(page.uuid)} text: ${titleOfPage(app, page)})`

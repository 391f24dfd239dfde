import { contextForFileParent, canViewSite } from '../../../access/authorize/authorize.ts'
import { canViewPage } from '../../../access/authorize/pages.ts'
import type { RequestContext } from '../../../http/context.ts'
import { selectByUuid } from '../../files/queries.ts'
import type { FileModel } from '../../files/target.ts'
import { selectByUuids, type PageRow } from '../../pages/queries.ts'
import { withParents } from '../all-files/parents.ts'
import { fileIn, pageIn } from './lock.ts'
import type { ItemRow } from './queries.ts'

/** What an item is about: a page, a file, or none of them for the site and what is gone. */
export interface VisibleItem {
  page?: PageRow | undefined
  file?: FileModel | undefined
}

/**
 * What each of these items is about; undefined if the caller may not see it. Something that is gone is visible with its
 * former page, or with the site. One query per kind, whatever the number of items.
 */
export async function visibleItems(
  ctx: RequestContext,
  items: readonly ItemRow[],
): Promise<(VisibleItem | undefined)[]> {
  const { store } = ctx.app
  const owners = [...new Set(items.map(({ owner }) => owner))]
  const pageUuids = owners.flatMap(owner => pageIn(owner) ?? [])
  const fileUuids = owners.flatMap(owner => fileIn(owner) ?? [])
  const [pages, fileRows] = await Promise.all([
    selectByUuids(store, await ctx.language(), pageUuids),
    selectByUuid(store, fileUuids),
  ])
  const files = await withParents(contextForFileParent(ctx), fileRows)
  const pagesByOwner = new Map(pages.map(page => [`page://${page.uuid}`, page]))
  const filesByOwner = new Map(files.map(file => [`file://${file.file.uuid}`, file]))
  const existingFiles = new Set(fileRows.map(({ uuid }) => `file://${uuid}`))

  return items.map(({ owner, template }) => {
    const page = pagesByOwner.get(owner)
    if (page) return canViewPage(ctx, page) ? { page } : undefined
    const file = filesByOwner.get(owner)
    if (existingFiles.has(owner)) return file && { file }
    const isVisible = template === null ? canViewSite(ctx) : canViewPage(ctx, { template })
    return isVisible ? {} : undefined
  })
}

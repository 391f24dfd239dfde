import { visibleAccounts } from '../../../access/authorize/accounts.ts'
import { contextForFileParent, siteMustBeVisible, canViewSite } from '../../../access/authorize/authorize.ts'
import type { FileRow } from '../../files/queries.ts'
import type { FileModel, FileParent } from '../../files/target.ts'
import type { RequestContext } from '../../../http/context.ts'
import { pageFileParent } from '../../pages/files.ts'
import { ownerOfPage } from '../../pages/pages.ts'
import { type PageRow, selectByUuids } from '../../pages/queries.ts'
import { cachedPage } from '../../pages/related.ts'
import { idOf, visiblePage } from '../../pages/target.ts'
import { visibleOf } from '../../pages/visible.ts'
import { canViewFile } from '../../../access/authorize/files.ts'
import { userFileParent } from '../../users/files.ts'
import { selectReferred } from '../../users/listing/queries.ts'
import { userTarget } from '../../users/target.ts'
import { ownerOfUser } from '../../users/users.ts'
import { siteOwner } from '../site.ts'
import { siteFileParent } from '../target.ts'

/**
 * Adds the parents and drops files whose parent is not visible. One query for all pages and one for all accounts.
 * Anonymous clients see files of unlisted pages only in the content of these pages (`contentOwner`).
 */
export async function withParents(
  ctx: RequestContext,
  files: readonly FileRow[],
  contentOwner?: string,
): Promise<FileModel[]> {
  const { app } = ctx
  const owners = [...new Set(files.map(({ parent }) => parent))]
  const [pages, users] = await Promise.all([pagesOf(ctx, idsOf(owners, 'page')), usersOf(ctx, idsOf(owners, 'user'))])
  const parents = new Map<string, FileParent>()
  const isListed = ({ uuid, status }: PageRow) =>
    !ctx.actor.isAnonymous || status === 'listed' || ownerOfPage(uuid) === contentOwner
  for (const page of await visibleOf(ctx, pages.filter(isListed)))
    parents.set(ownerOfPage(page.uuid), pageFileParent(page, app))
  for (const user of users) parents.set(ownerOfUser(user.id), userFileParent(user, ctx))
  if (canViewSite(ctx)) parents.set(siteOwner, siteFileParent(undefined, app))
  return files.flatMap(file => {
    const parent = canViewFile(ctx, file) ? parents.get(file.parent) : undefined
    return parent ? { file, parent } : []
  })
}

/** The parent of files that a request names: `page://…` or the id of a page, `site://`, `user://…`. */
export async function findFileParent(caller: RequestContext, parent: string): Promise<FileParent> {
  const ctx = contextForFileParent(caller)
  if (parent === siteOwner) {
    siteMustBeVisible(ctx)
    return siteFileParent(undefined, ctx.app)
  }
  if (!parent.startsWith('user://')) return pageFileParent((await visiblePage(ctx, idOf(parent))).page, ctx.app)
  const found = await userTarget({ ctx, params: { id: parent.slice('user://'.length) } })
  return userFileParent(found.user, caller)
}

const idsOf = (owners: readonly string[], kind: 'page' | 'user') =>
  owners.flatMap(owner => (owner.startsWith(`${kind}://`) ? owner.slice(`${kind}://`.length) : []))

async function pagesOf(ctx: RequestContext, uuids: readonly string[]): Promise<PageRow[]> {
  const known = uuids.flatMap(uuid => cachedPage(ctx, uuid) ?? [])
  if (known.length === uuids.length) return known
  return selectByUuids(ctx.app.store, await ctx.language(), uuids)
}

async function usersOf(ctx: RequestContext, ids: readonly string[]) {
  return ids.length === 0 ? [] : selectReferred(ctx.app.store, visibleAccounts(ctx), ids)
}

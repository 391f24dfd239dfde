import type { FileRow } from '../../files/queries.ts'
import { type FileModel, type FileParent, isVisible as isVisibleFile } from '../../files/target.ts'
import type { RequestContext } from '../../../http/context.ts'
import { fileParent as ofPage } from '../../pages/files.ts'
import { blueprintOf, ownerOf as ownerOfPage } from '../../pages/pages.ts'
import { selectByUuids } from '../../pages/queries.ts'
import { isVisible } from '../../pages/target.ts'
import { fileParent as ofUser } from '../../users/files.ts'
import { selectReferred } from '../../users/listing/queries.ts'
import { visibleTo } from '../../users/target.ts'
import { ownerOf as ownerOfUser } from '../../users/users.ts'
import { owner as site } from '../site.ts'
import { fileParent as ofSite, isOpen } from '../target.ts'

/** Adds the parents and drops files whose parent is not visible. One query for all pages and one for all accounts. */
export async function withParents(ctx: RequestContext, files: readonly FileRow[]): Promise<FileModel[]> {
  const { app, caller } = ctx
  const owners = [...new Set(files.map(({ parent }) => parent))]
  const [pages, users] = await Promise.all([
    selectByUuids(app.store, await ctx.language(), idsOf(owners, 'page')),
    usersOf(ctx, idsOf(owners, 'user')),
  ])
  const parents = new Map<string, FileParent>()
  for (const page of pages)
    if (isVisible(app, caller, blueprintOf(app, page).options)) parents.set(ownerOfPage(page.uuid), ofPage(page, app))
  for (const user of users) parents.set(ownerOfUser(user.id), ofUser(user, ctx))
  if (isOpen(ctx)) parents.set(site, ofSite(undefined, app))
  return files.flatMap(file => {
    const parent = isVisibleFile(app, caller, file) ? parents.get(file.parent) : undefined
    return parent ? { file, parent } : []
  })
}

const idsOf = (owners: readonly string[], kind: 'page' | 'user') =>
  owners.flatMap(owner => (owner.startsWith(`${kind}://`) ? owner.slice(`${kind}://`.length) : []))

async function usersOf({ app, caller }: RequestContext, ids: readonly string[]) {
  return ids.length === 0 ? [] : selectReferred(app.store, visibleTo(app, caller), ids)
}

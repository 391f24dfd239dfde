import type { Context } from '../../access/actor.ts'
import { recordEvent } from '../../content/change-events.ts'
import { mustNotBeEditedByOthers } from '../../content/drafts/draft-lock.ts'
import { insertSuccessors } from '../../content/redirects/queries.ts'
import { leaveRedirects } from '../../content/redirects/redirects.ts'
import { mustBeCurrent } from '../../content/revision.ts'
import { fail } from '../../platform/errors.ts'
import { isFileActionAllowed } from '../../access/authorize/files.ts'
import { isPageActionAllowed, canViewPage } from '../../access/authorize/pages.ts'
import { selectFilesIn } from '../files/queries.ts'
import { chunksYielding } from '../../platform/lib/yield.ts'
import { closeEntry, openEntry, purgeIfTrashIsOff, trashFiles, trashPages } from '../../content/trash/trash.ts'
import { hasNumber, removeNumber, numberedSiblings } from './numbers.ts'
import { pagesMustFollow } from './page-rules.ts'
import { ownerOfPage, titleOfPage } from './pages.ts'
import { isPossible } from './rules.ts'
import { everythingBelow, maxDeletedPages, treeWrite } from './tree/below.ts'
import { lockPageInTree } from './tree/lock.ts'
import type { Tx } from '../../platform/store/store.ts'
import { deleteCounts, type TreeNode, selectPath } from './tree/queries.ts'
import type { PageChange } from './update.ts'

export interface Deletion extends PageChange {
  /** Also deletes all descendants. */
  force?: boolean | undefined
  /** The uuid of a page that the addresses of the deleted pages lead to from now on. */
  successor?: string | undefined
}

/**
 * Moves a page and its descendants to the trash. All or nothing: a single page or file that may not be deleted, or
 * that another user is editing, fails the whole operation.
 */
export async function deletePage(ctx: Context, page: { uuid: string }, deletion: Deletion): Promise<void> {
  const { app } = ctx
  await app.store.write(tx => deletePageIn(ctx, tx, page, deletion), await treeWrite(app, page.uuid))
  purgeIfTrashIsOff(app)
}

/** The same as a part of a transaction. Takes locks from the top down. */
export async function deletePageIn(
  ctx: Context,
  tx: Tx,
  { uuid }: { uuid: string },
  { expected, force = false, successor }: Deletion,
): Promise<void> {
  const { app } = ctx
  const { page } = await lockPageInTree(ctx, tx, uuid, ['delete'], undefined, { subtree: true, numbering: true })
  mustBeCurrent(page.revision, expected)
  const below = await everythingBelow(tx, page, maxDeletedPages)
  const all: TreeNode[] = [page, ...below]
  // A page that the actor may not see cannot be deleted as part of a subtree either.
  const canDelete = (one: TreeNode) => canViewPage(ctx, one) && isPageActionAllowed(ctx, 'delete', one)
  if (!all.every(one => isPossible(app, one, 'delete') && canDelete(one))) throw fail('page.delete.permission')
  if (below.length > 0 && !force) throw fail('page.delete.hasChildren')
  pagesMustFollow(ctx, [page, ...below], ['delete'], { force })
  const { parent, path, template, revision } = page
  if (successor !== undefined) await mustNotBeInside(tx, successor, path)
  const trashed = {
    kind: 'page',
    owner: ownerOfPage(uuid),
    parent,
    path,
    title: titleOfPage(app, page),
    template,
  } as const
  if (hasNumber(app, page)) await removeNumber(tx, numberedSiblings(app, parent), uuid)
  const entry = await openEntry(tx)
  await leaveRedirects(tx, page, { withDescendants: true })
  for await (const batch of chunksYielding(all)) {
    const owners = batch.map(one => ownerOfPage(one.uuid))
    await mustNotBeEditedByOthers(ctx, tx, owners)
    const files = await selectFilesIn(tx, owners)
    if (!files.every(file => isFileActionAllowed(ctx, 'delete', file))) throw fail('file.delete.permission')
    await trashPages(app, tx, entry, batch)
    const uuids = batch.map(one => one.uuid)
    await deleteCounts(tx, uuids)
    if (successor !== undefined) await insertSuccessors(tx, uuids, successor)
    await trashFiles(app, tx, entry, files)
  }
  await closeEntry(ctx, tx, entry, trashed)
  await recordEvent(ctx, tx, 'page.deleted', ownerOfPage(uuid), { template, path, revision, pages: all.length })
}

async function mustNotBeInside(tx: Tx, successor: string, path: string): Promise<void> {
  const successorPath = await selectPath(tx, successor)
  if (successorPath === undefined) throw fail('page.notFound', { id: ownerOfPage(successor) })
  if (successorPath === path || successorPath.startsWith(`${path}/`)) throw fail('page.delete.successor')
}

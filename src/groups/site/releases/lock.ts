import type { Context } from '../../../access/actor.ts'
import { fail } from '../../../platform/errors.ts'
import { RetryTransaction, type Tx } from '../../../platform/store/store.ts'
import { type FileRow, lockFile } from '../../files/files.ts'
import { ownerOfPage } from '../../pages/pages.ts'
import type { PageRow } from '../../pages/queries.ts'
import { ancestorsOf, lockPage, type PageActions, parentOf } from '../../pages/tree/lock.ts'
import { lockPaths, type LockMode } from '../../pages/tree/queries.ts'
import { siteOwner } from '../site.ts'
import { type ItemRow, lockFiles, selectParents, selectPaths, selectPathsBelow } from './queries.ts'

/** What an item does to what it is about. */
type LockedItem = Pick<ItemRow, 'owner' | 'action' | 'status'>

/** `page://a1` → `a1`; undefined for anything but a page. */
export const pageIn = (owner: string): string | undefined =>
  owner.startsWith('page://') ? owner.slice('page://'.length) : undefined

/** `file://a1` → `a1`; undefined for anything but a file. */
export const fileIn = (owner: string): string | undefined =>
  owner.startsWith('file://') ? owner.slice('file://'.length) : undefined

/**
 * Locks all pages and files of a release, and the site, at once, each as strongly as its change needs it, in the order of all
 * transactions: the operations that follow take no lock that could deadlock. Returns the paths of pages that exist, by
 * uuid.
 */
export async function lockItems(
  { app: { store } }: Pick<Context, 'app'>,
  tx: Tx,
  items: readonly LockedItem[],
): Promise<Map<string, string>> {
  const uuids = items.flatMap(({ owner }) => pageIn(owner) ?? [])
  if (store.name === 'sqlite') return selectPaths(tx, uuids)
  const files = items.flatMap(({ owner }) => fileIn(owner) ?? [])
  const parents = [...new Set((await selectParents(tx, files)).values())]
  const all = [...new Set([...uuids, ...parents.flatMap(owner => pageIn(owner) ?? [])])]
  const paths = await selectPaths(tx, all)
  const ofItems = items.flatMap(item => {
    const path = paths.get(pageIn(item.owner) ?? '')
    return path === undefined ? [] : locksOf(path, item)
  })
  const deleted = items.flatMap(({ owner, action }) =>
    action === 'delete' ? (paths.get(pageIn(owner) ?? '') ?? []) : [],
  )
  const below = await selectPathsBelow(tx, deleted)
  const hasSite = items.some(({ owner }) => owner === siteOwner)
  await lockPaths(store, tx, [
    ...(parents.includes(siteOwner) ? [['', 'share'] as const] : []),
    ...(hasSite ? [['', 'siblings'] as const] : []),
    ...[...paths.values()].map(path => [path, 'share'] as const),
    ...ofItems,
    ...below.map(path => [path, 'subtree'] as const),
  ])
  const now = await selectPaths(tx, all)
  if (all.some(uuid => now.get(uuid) !== paths.get(uuid))) throw new RetryTransaction()
  await lockFiles(tx, files, [...uuids.map(ownerOfPage), ...(hasSite ? [siteOwner] : [])])
  return now
}

interface LockedFile {
  file: FileRow
  /** Undefined for a file of the site. */
  page: PageRow | undefined
}

/** Locks the file of an item and its page, if the actor may do this to the page, and what the item does to the file. */
export async function lockFileItem(
  ctx: Context,
  tx: Tx,
  { owner, action }: Pick<ItemRow, 'owner' | 'action'>,
  pageActions: PageActions,
): Promise<LockedFile> {
  const uuid = fileIn(owner)
  const parent = uuid === undefined ? undefined : (await selectParents(tx, [uuid])).get(uuid)
  // Files of accounts have no drafts to gather, and no visitors.
  if (uuid === undefined || parent === undefined || parent.startsWith('user:'))
    throw fail('file.notFound', { filename: owner })
  const pageUuid = pageIn(parent)
  const page = pageUuid === undefined ? undefined : await lockPage(ctx, tx, pageUuid, pageActions, undefined)
  return { file: await lockFile(ctx, tx, { uuid, parent }, action === 'delete' ? 'delete' : 'update', {}), page }
}

function locksOf(path: string, { action, status }: LockedItem): (readonly [path: string, mode: LockMode])[] {
  const changesSiblings = action === 'delete' || status !== null
  return [
    ...ancestorsOf(path).map(above => [above, 'share'] as const),
    ...(changesSiblings ? [[parentOf(path), 'siblings'] as const] : []),
    [path, action === 'delete' ? 'subtree' : 'siblings'] as const,
  ]
}

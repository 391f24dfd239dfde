import type { App } from '../../../app.ts'
import { fail } from '../../../platform/errors.ts'
import type { Tx, WriteOptions } from '../../../platform/store/store.ts'
import type { PageRow } from '../queries.ts'
import { selectBelow, hasBelow, type TreeNode } from './queries.ts'

/** Limits memory: all pages of one deletion or copy are loaded at the same time. */
export const maxDeletedPages = 100_000
export const maxCopiedPages = 10_000

/**
 * From this number of descendants on, a write counts as long: SQLite runs it in a worker thread, so that it does not
 * block the event loop.
 */
const longFrom = 200

/** The write options for a change of a page and its descendants. */
export async function treeWrite({ store }: App, uuid: string): Promise<WriteOptions> {
  return { isLong: await hasBelow(store, uuid, longFrom) }
}

/** All descendants of a page, parents first. The page must be locked with `subtree`. */
export async function everythingBelow(tx: Tx, { path }: Pick<PageRow, 'path'>, limit: number): Promise<TreeNode[]> {
  const all: TreeNode[] = []
  for await (const batch of selectBelow(tx, path)) {
    all.push(...batch)
    if (all.length > limit) throw fail('page.tooMany', { max: String(limit) })
  }
  return all
}

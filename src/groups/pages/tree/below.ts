import type { App } from '../../../app.ts'
import { fail } from '../../../platform/errors.ts'
import type { Tx, WriteOptions } from '../../../platform/store/store.ts'
import type { PageRow } from '../queries.ts'
import { below, hasBelow, type Node } from './queries.ts'

/** What is deleted or copied at once is at hand at once. */
export const maxDeletedPages = 100_000
export const maxCopiedPages = 10_000

/** From so many pages on an operation on a page and all below it takes longer than others may wait. */
const longFrom = 200

/** How a page is written with all that is below it. */
export async function treeWrite({ store }: App, uuid: string): Promise<WriteOptions> {
  return { isLong: await hasBelow(store, uuid, longFrom) }
}

/** All that is below a page that is held alone, from the top down. */
export async function everythingBelow(tx: Tx, { path }: Pick<PageRow, 'path'>, most: number): Promise<Node[]> {
  const all: Node[] = []
  for await (const some of below(tx, path)) {
    all.push(...some)
    if (all.length > most) throw fail('page.tooMany', { max: String(most) })
  }
  return all
}

import { fail } from '../../errors.ts'
import type { Tx } from '../../store/store.ts'
import type { PageRow } from '../queries.ts'
import { below, type Node } from './queries.ts'

/** What is deleted or copied at once is at hand at once. */
export const mostDeleted = 100_000
export const mostCopied = 10_000

/** All that is below a page that is held alone, from the top down. */
export async function everythingBelow(tx: Tx, { path }: Pick<PageRow, 'path'>, most: number): Promise<Node[]> {
  const all: Node[] = []
  for await (const some of below(tx, path)) {
    all.push(...some)
    if (all.length > most) throw fail('page.tooMany', { max: String(most) })
  }
  return all
}

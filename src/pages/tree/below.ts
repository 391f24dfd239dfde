import type { App } from '../../app.ts'
import { fail } from '../../errors.ts'
import type { Tx } from '../../store/store.ts'
import type { PageRow } from '../queries.ts'
import { type Node, selectBelow } from './queries.ts'

/** What is changed at once is held at once: beyond this many pages others would wait too long. */
const mostPages = 10_000

/** All that is below a page that is held alone, from the top down. */
export async function everythingBelow({ store }: App, tx: Tx, { path }: Pick<PageRow, 'path'>): Promise<Node[]> {
  const below = await selectBelow(store, tx, path, mostPages + 1)
  if (below.length > mostPages) throw fail('page.tooMany', { count: `> ${mostPages}`, max: String(mostPages) })
  return below
}

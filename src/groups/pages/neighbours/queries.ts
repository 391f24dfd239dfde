import type { TemplateFilter } from '../../../access/authorize/templates.ts'
import { sql } from 'kysely'
import type { ContentLanguage } from '../../../http/context.ts'
import type { Store } from '../../../platform/store/store.ts'
import { type PageRow, selectPageRows, selectByUuids } from '../queries.ts'

export type Direction = 1 | -1

/** The previous or next sibling of the same status, for each of these pages. The order is that of the index. */
export async function selectPageNeighbours(
  store: Store,
  language: ContentLanguage,
  { step, isListed, templates, except }: TemplateFilter & { step: Direction; isListed: boolean },
  uuids: readonly string[],
): Promise<{ of: string; page: PageRow }[]> {
  const [comparison, direction] = [sql.raw(step === 1 ? '>' : '<'), sql.raw(step === 1 ? 'asc' : 'desc')]
  // Only listed pages have a number.
  const isNeighbour = isListed
    ? sql`(other.num, other.slug) ${comparison} (pages.num, pages.slug)`
    : sql`other.num is null and other.slug ${comparison} pages.slug`
  const isSeen = [
    ...(templates ? [templates.length > 0 ? sql`other.template in (${sql.join(templates)})` : sql`1 = 0`] : []),
    ...(except.length > 0 ? [sql`other.template not in (${sql.join(except)})`] : []),
  ].map(condition => sql`and ${condition}`)
  const query = store.db
    .selectFrom('pages')
    .select('pages.uuid as of')
    .select(
      sql<string | null>`(select other.uuid from pages as other
        where other.parent = pages.parent and other.status = pages.status and ${isNeighbour} ${sql.join(isSeen.length > 0 ? isSeen : [sql``], sql` `)}
        order by other.num ${direction}, other.slug ${direction} limit 1)`.as('neighbour'),
    )
    .where('pages.uuid', 'in', uuids)
  const found = (await selectPageRows(store, query)).filter(({ neighbour }) => neighbour !== null)
  const pages = await selectByUuids(store, language, [...new Set(found.map(({ neighbour }) => neighbour!))])
  const byUuid = new Map(pages.map(page => [page.uuid, page]))
  return found.flatMap(({ of, neighbour }) => {
    const page = byUuid.get(neighbour!)
    return page ? { of, page } : []
  })
}

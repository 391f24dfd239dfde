import { sql } from 'kysely'
import type { TemplateFilter } from '../../access/authorize/templates.ts'
import { matchesFilter, hasPageTemplate, type PageFilter, selectPageRows } from '../../groups/pages/queries.ts'
import { isAmong } from '../../platform/store/among.ts'
import type { Store } from '../../platform/store/store.ts'

/** A state of pages in lists that the database knows. */
export interface StateFilter {
  state: 'changed' | 'mine' | 'scheduled' | 'unfinished'
  /** Of the drafts. */
  language: string
  /** Whose drafts are `mine`. */
  user: string
  /** Drafts are shown only to callers who may update the page. */
  updatable: TemplateFilter
}

/** Pages of one parent (`''` for the top level), or some of the pages that a query has found. */
export type ListScope = { parent: string } | { uuids: readonly string[] }

/** The uuids of pages in a state, in the order of lists: by status, number and slug. */
export async function selectUuidsByState(
  store: Store,
  scope: ListScope,
  filter: PageFilter,
  { state, language, user, updatable }: StateFilter,
  limit: number,
): Promise<string[]> {
  if (filter.statuses.length === 0) return []
  const pages = store.db.selectFrom('pages').select('pages.uuid').where(matchesFilter(filter))
  const inScope =
    'parent' in scope
      ? pages.where('pages.parent', '=', scope.parent)
      : pages.where(isAmong(store.db, 'pages.uuid', scope.uuids))
  const matching = inScope.where(eb => {
    if (state === 'scheduled')
      return eb.exists(
        eb.selectFrom('schedules').select('schedules.page').whereRef('schedules.page', '=', 'pages.uuid'),
      )
    const isChanged = eb.exists(
      eb
        .selectFrom('changes')
        .select('changes.owner')
        .where('changes.owner', '=', sql<string>`'page://' || pages.uuid`)
        .where('changes.language', '=', language)
        .$if(state === 'mine', drafts => drafts.where('changes.user_id', '=', user)),
    )
    return eb.and([
      hasPageTemplate(updatable)(eb),
      state === 'unfinished' ? eb.or([eb('pages.status', '=', 'draft'), isChanged]) : isChanged,
    ])
  })
  const rank = sql`case pages.status when 'listed' then 0 when 'unlisted' then 1 else 2 end`
  const rows = await selectPageRows(
    store,
    matching.orderBy(rank).orderBy('pages.num').orderBy('pages.slug').limit(limit),
  )
  return rows.map(({ uuid }) => uuid)
}

import { sql } from 'kysely'
import type { TemplateFilter } from '../../../access/authorize/templates.ts'
import type { Store } from '../../../platform/store/store.ts'
import { hasPageTemplate } from '../../pages/queries.ts'

/** Pages in one list. */
const maxListed = 500

/** The uuids of pages with a draft in a language, the last changed first. `user` is the author. */
export async function selectPagesWithDrafts(
  store: Store,
  templates: TemplateFilter,
  { language, user }: { language: string; user: string | undefined },
): Promise<string[]> {
  const query = store.db
    .selectFrom('changes')
    .innerJoin('pages', join => join.on('pages.uuid', '=', sql<string>`substr(changes.owner, 8)`))
    .select('pages.uuid')
    .where('changes.owner', 'like', 'page://%')
    .where('changes.language', '=', language)
    .where(hasPageTemplate(templates))
    .$if(user !== undefined, all => all.where('changes.user_id', '=', user!))
    .orderBy('changes.modified_at', 'desc')
    .limit(maxListed)
  return ((await store.read(query.compile())) as { uuid: string }[]).map(({ uuid }) => uuid)
}

/** The uuids of scheduled pages, the next one first. */
export async function selectScheduledPages(store: Store, templates: TemplateFilter): Promise<string[]> {
  const query = store.db
    .selectFrom('schedules')
    .innerJoin('pages', 'pages.uuid', 'schedules.page')
    .select('pages.uuid')
    .where(hasPageTemplate(templates))
    .orderBy('schedules.due_at')
    .limit(maxListed)
  return ((await store.read(query.compile())) as { uuid: string }[]).map(({ uuid }) => uuid)
}

/** The uuids of pages with a review in this state in any language, the oldest first. `user` has asked for it. */
export async function selectPagesInReview(
  store: Store,
  templates: TemplateFilter,
  { state, user }: { state: 'waiting' | 'returned'; user: string | undefined },
): Promise<string[]> {
  const query = store.db
    .selectFrom('reviews')
    .innerJoin('pages', join => join.on('pages.uuid', '=', sql<string>`substr(reviews.owner, 8)`))
    .select('pages.uuid')
    .where('reviews.state', '=', state)
    .where(hasPageTemplate(templates))
    .$if(user !== undefined, all => all.where('reviews.user_id', '=', user!))
    .groupBy('pages.uuid')
    .orderBy(eb => eb.fn.min('reviews.requested_at'))
    .limit(maxListed)
  return ((await store.read(query.compile())) as { uuid: string }[]).map(({ uuid }) => uuid)
}

import type { CallerContext } from '../../../access/actor.ts'
import { everyAccount } from '../../../access/authorize/accounts.ts'
import type { RequestContext } from '../../../http/context.ts'
import type { Says } from '../../../platform/store/schema.ts'
import { idOf, visiblePage } from '../../pages/target.ts'
import { selectReferred } from '../../users/listing/queries.ts'
import type { UserRow } from '../../users/users.ts'
import { summarizePages } from '../summaries.ts'
import { deleteOldPresence, deletePresence, upsertPresence, selectPresence } from './queries.ts'

/** Open tabs of one account that are remembered. */
const maxTabs = 20

/** An account that has the panel open. */
export interface Presence {
  user: UserRow
  since: number
  /** What they say to others on this page. */
  says: Says | null
  /** The page they have open, if the caller may see it. */
  page: { uuid: string; title: string; link: string | null } | undefined
}

export interface OpenTab {
  /** Chosen by the browser. */
  tab: string
  /** The id of the page that is open in it, if any. */
  page: string | null
  says: Says | null
  closed?: true | undefined
}

/** Stores the page of the caller, and returns the other accounts in the panel. Writes only if something is new, or due. */
export async function reportPresence(
  ctx: CallerContext & RequestContext,
  { tab, page, says, closed }: OpenTab,
): Promise<Presence[]> {
  const { store } = ctx.app
  const id = keyOf(ctx, tab)
  const own = ctx.actor.user.id
  const rows = await selectPresence(store)
  const before = rows.find(row => row.id === id)
  if (closed) {
    if (before) await store.write(tx => deletePresence(tx, id))
    return []
  }
  const uuid = page === null ? '' : (await visiblePage(ctx, idOf(page))).page.uuid
  if (before?.page !== uuid || before.says !== says || before.is_old === 1)
    await store.write(async tx => {
      await upsertPresence(tx, { id, user_id: own, page: uuid, says })
      if (!before) await deleteOldPresence(tx, own, maxTabs)
    })
  const others = rows.filter(row => row.user_id !== own)
  const [users, pages] = await Promise.all([
    others.length === 0 ? [] : selectReferred(store, everyAccount, [...new Set(others.map(row => row.user_id))]),
    summarizePages(ctx, [...new Set(others.flatMap(row => (row.page === '' ? [] : `page://${row.page}`)))]),
  ])
  const byId = new Map(users.map(user => [user.id, user]))
  const seen = new Set<string>()
  const said = new Map<string, Says>()
  for (const row of others) if (row.says !== null) said.set(placeOf(row), row.says)
  return others.flatMap(row => {
    const user = byId.get(row.user_id)
    const found = pages.get(`page://${row.page}`)
    const key = `${row.user_id} ${found ? row.page : ''}`
    if (!user || seen.has(key)) return [] // several tabs with the same page
    seen.add(key)
    return {
      user,
      since: row.since,
      says: (found && said.get(placeOf(row))) ?? null,
      page: found && { uuid: `page://${row.page}`, ...found },
    }
  })
}

const placeOf = ({ user_id, page }: { user_id: string; page: string }) => `${user_id} ${page}`

/** The id contains the session, so a caller cannot change the row of another session. */
const keyOf = ({ actor: { session, token, user } }: CallerContext, tab: string) =>
  `${session?.id ?? token?.id ?? user.id}:${tab}`

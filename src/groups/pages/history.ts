import { accountOf, type Context } from '../../access/actor.ts'
import { type EventDetail, insertHistoryEvent } from '../../content/queries.ts'
import type { Tx } from '../../platform/store/store.ts'
import { ownerOfPage } from './pages.ts'

type HistoryEventKind = 'status' | 'slug' | 'move' | 'template' | 'schedule' | 'unschedule'

/**
 * Adds an event, such as a new status, to the history of the page, between the versions of its content. The
 * caller has locked the row of the page.
 */
export async function recordHistoryEvent(
  ctx: Context,
  tx: Tx,
  { uuid, revision }: { uuid: string; revision: number },
  kind: HistoryEventKind,
  detail: EventDetail,
): Promise<void> {
  const entry = {
    owner: ownerOfPage(uuid),
    revision,
    action: kind,
    user: accountOf(ctx),
    keep: ctx.app.config.history.keep,
  }
  await insertHistoryEvent(tx, entry, detail)
}

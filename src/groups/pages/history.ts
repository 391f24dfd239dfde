import { accountOf, type Context } from '../../access/actor.ts'
import { type EventDetail, insertEvent } from '../../content/queries.ts'
import type { Tx } from '../../platform/store/store.ts'
import { ownerOf } from './pages.ts'

type Action = 'status' | 'slug' | 'move' | 'template' | 'schedule' | 'unschedule'

/**
 * Adds an event, such as a new status, to the history of the page, between the versions of its content. The page must
 * be locked.
 */
export async function recordInHistory(
  ctx: Context,
  tx: Tx,
  { uuid, revision }: { uuid: string; revision: number },
  action: Action,
  detail: EventDetail,
): Promise<void> {
  const entry = { owner: ownerOf(uuid), revision, action, user: accountOf(ctx), keep: ctx.app.config.history.keep }
  await insertEvent(tx, entry, detail)
}

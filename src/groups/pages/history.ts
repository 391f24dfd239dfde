import type { App } from '../../app.ts'
import type { By } from '../../access/audit/audit.ts'
import { type EventDetail, insertEvent } from '../../content/queries.ts'
import type { Tx } from '../../platform/store/store.ts'
import { ownerOf } from './pages.ts'

type Action = 'status' | 'slug' | 'move' | 'template' | 'schedule' | 'unschedule'

/**
 * Adds an event, such as a new status, to the history of the page, between the versions of its content. The page must
 * be locked.
 */
export async function recordInHistory(
  { config }: App,
  tx: Tx,
  { uuid, revision }: { uuid: string; revision: number },
  action: Action,
  { actor }: By,
  detail: EventDetail,
): Promise<void> {
  const entry = { owner: ownerOf(uuid), revision, action, user: actor, keep: config.history.keep }
  await insertEvent(tx, entry, detail)
}

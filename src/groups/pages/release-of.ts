import { z } from 'zod'
import type { RequestContext } from '../../http/context.ts'
import { namedSchema } from '../../platform/lib/schema-names.ts'
import { isoTime } from '../../platform/lib/time.ts'
import { batched } from '../../platform/store/batch.ts'
import { ownerOfPage } from './pages.ts'
import type { PageRow } from './queries.ts'
import { selectWaiting } from './schedule/queries.ts'

/** The unpublished release that a page is in, and what it does to it. */
export const waitingSchema = namedSchema(
  'WaitingRelease',
  z.object({
    id: z.string(),
    name: z.string(),
    at: z.string().nullable(),
    action: z.enum(['publish', 'delete']),
  }),
)

type Waiting = z.output<typeof waitingSchema>

// Batched: one query for all pages of a list.
const waiting = batched(selectWaiting, ({ owner }) => owner)

export async function releaseOf(ctx: RequestContext, { uuid }: Pick<PageRow, 'uuid'>): Promise<Waiting | undefined> {
  const found = await waiting(ctx.app.store, ownerOfPage(uuid))
  return (
    found && {
      id: found.id,
      name: found.name,
      at: found.due_at === null ? null : isoTime(found.due_at),
      action: found.action,
    }
  )
}

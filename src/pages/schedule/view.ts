import { z } from 'zod'
import { batched } from '../../store/batch.ts'
import type { Store } from '../../store/store.ts'
import type { PageRow } from '../queries.ts'
import { type PlanRow, selectPlans } from './queries.ts'

export const scheduleSchema = z.object({
  status: z.enum(['draft', 'unlisted', 'listed']),
  at: z.string(),
  /** Who has planned it; null if they are gone. */
  user: z.object({ id: z.string(), username: z.string() }).nullable(),
  /** The key of the error that kept it from happening. It is not tried again until somebody plans it anew. */
  problem: z.string().nullable(),
})

export type Schedule = z.output<typeof scheduleSchema>

// Lists show many pages at once: what is asked for each of them is read for all together.
const plans = batched(selectPlans, ({ page }) => page)

/** What is planned for a page, if anything. */
export async function scheduleOf(store: Store, { uuid }: PageRow): Promise<Schedule | null> {
  const plan = await plans(store, uuid)
  return plan ? show(plan) : null
}

function show({ status, due_at, problem, user, name, email }: PlanRow): Schedule {
  return {
    status,
    at: new Date(due_at).toISOString(),
    user: user === null ? null : { id: user, username: name! || email! },
    problem: problem === null ? null : `error.${problem}`,
  }
}

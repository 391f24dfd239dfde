import { z } from 'zod'
import { personSchema, personSeen } from '../../content/person.ts'
import type { Look } from '../../http/look.ts'
import { batched } from '../../store/batch.ts'
import type { PageRow } from '../queries.ts'
import { type PlanRow, selectPlans } from './queries.ts'

export const scheduleSchema = z.object({
  status: z.enum(['draft', 'unlisted', 'listed']),
  at: z.string(),
  /** Who has planned it; null if they are gone. */
  user: personSchema.nullable(),
  /** The key of the error that kept it from happening. It is not tried again until somebody plans it anew. */
  problem: z.string().nullable(),
})

export type Schedule = z.output<typeof scheduleSchema>

// Lists show many pages at once: what is asked for each of them is read for all together.
const plans = batched(selectPlans, ({ page }) => page)

/** What is planned for a page, if anything. */
export async function scheduleOf(look: Look, { uuid }: Pick<PageRow, 'uuid'>): Promise<Schedule | null> {
  const plan = await plans(look.app.store, uuid)
  return plan ? show(look, plan) : null
}

function show(look: Look, { status, due_at, problem, user, name, email, role }: PlanRow): Schedule {
  return {
    status,
    at: new Date(due_at).toISOString(),
    user: personSeen(look, { id: user, name, email, role }),
    problem: problem === null ? null : `error.${problem}`,
  }
}

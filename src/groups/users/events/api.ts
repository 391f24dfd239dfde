import { canReadAllEvents } from '../../../access/authorize/accounts.ts'
import { z } from 'zod'
import { countEvents, selectEvents } from '../../../access/audit/queries.ts'
import { fail } from '../../../platform/errors.ts'
import { collection } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { showPage, slicesOf } from '../../../http/list.ts'
import { paginate, pagingQuery } from '../../../http/paging.ts'
import { selectionQuery, timestampSchema } from '../../../http/query-schemas.ts'
import { callerOf } from '../../../access/actor.ts'
import { userTarget } from '../target.ts'
import { findUser } from '../users.ts'
import { eventView } from './view.ts'
import type { RequestContext } from '../../../http/context.ts'

/** The audit events of an account, for its owner and for administrators. */
export const events = {
  list: endpoint({
    method: 'GET',
    path: '/users/:id/events',
    summary: 'List the audit events of an account',
    description:
      'Sign-ins, changes of credentials and settings with their time, network and browser, newest first. Only for the owner and for administrators, who may also read those of deleted accounts.',
    access: 'session',
    on: ownOrAsAdmin,
    query: z.strictObject({
      ...selectionQuery,
      ...pagingQuery,
      /** An event such as `auth.login.ok`, or a prefix that ends with a dot: `auth.` */
      event: z
        .string()
        .max(100)
        .regex(/^[a-z.-]+$/)
        .optional(),
      from: timestampSchema.optional(),
      until: timestampSchema.optional(),
    }),
    answer: collection(eventView.schema),
    handler: async ({ ctx, app, target, query }) => {
      const { id } = target
      const pagination = paginate(await countEvents(app.store, id, query), query)
      const rows = await selectEvents(app.store, id, query, pagination)
      return showPage(ctx, eventView, slicesOf(pagination, rows), query)
    },
  }),
}

/** Owners read the events of their account; others need the right to read all events. */
async function ownOrAsAdmin(request: { ctx: RequestContext; params: { id: string } }): Promise<{ id: string }> {
  const { ctx, params } = request
  if (canReadAllEvents(ctx)) return subjectOf(ctx, params.id)
  const { user: found, own } = await userTarget(request)
  if (!own) throw fail('permission')
  return found
}

/** Administrators may also read the events of a deleted account, by its id. */
async function subjectOf(ctx: RequestContext, name: string): Promise<{ id: string }> {
  const { app } = ctx
  const id = name === 'account' ? callerOf(ctx).user.id : name
  const found = await findUser(app, id).catch((error: unknown) => error)
  if (!(found instanceof Error)) return found as { id: string }
  if ((await countEvents(app.store, id, {})) === 0) throw found
  return { id }
}

import { z } from 'zod'
import { done, model } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { selectionQuery } from '../../../http/query-schemas.ts'
import { viewOf } from '../../../http/view.ts'
import { isoTime } from '../../../platform/lib/time.ts'
import { purgeCaches, purgeState, type PurgeState } from './purge.ts'

const attempt = { problem: z.string(), attempts: z.int() }

const purgeView = viewOf<PurgeState>('PurgeState')(
  field => ({
    /** Null if no cache is configured; the same for its host. */
    kind: field.value(z.string().nullable(), state => state.kind),
    host: field.value(z.string().nullable(), state => state.host),
    /** Number of changes that have not been purged yet. */
    waiting: field.value(z.int(), state => state.waiting),
    lastDone: field.value(z.string().nullable(), state => (state.lastDone === null ? null : isoTime(state.lastDone))),
    retrying: field.value(z.object({ ...attempt, since: z.string(), next: z.string() }).nullable(), ({ retrying }) =>
      retrying === null ? null : { ...retrying, since: isoTime(retrying.since), next: isoTime(retrying.next) },
    ),
    failures: field.value(z.array(z.object({ ...attempt, time: z.string() })), ({ failures }) =>
      failures.map(failure => ({ ...failure, time: isoTime(failure.time) })),
    ),
  }),
  {},
)

/** The shared cache in front of the site. */
export const purge = {
  get: endpoint({
    method: 'GET',
    path: '/system/purge',
    summary: 'Retrieve how purging the shared cache goes',
    description:
      'Which cache is configured, how many changes are not yet sent to it, the last success and the last failures.',
    access: 'access.system',
    query: z.strictObject({ ...selectionQuery }),
    answer: model(purgeView.schema),
    handler: async ({ ctx, app, query }) => purgeView.show(ctx, await purgeState(app), query),
  }),

  all: endpoint({
    method: 'POST',
    path: '/system/purge',
    summary: 'Purge everything from the shared cache',
    description:
      'Queues one purge of everything. Answers before the cache has done it; retries go on in the background.',
    access: 'access.system',
    authorizedByOperation: true,
    answer: done,
    handler: ({ ctx }) => purgeCaches(ctx),
  }),
}

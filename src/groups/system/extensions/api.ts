import { z } from 'zod'
import { collection, done } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { listQuery, showList } from '../../../http/list.ts'
import { listExtensions, runByHand } from './extensions.ts'
import { extensionView } from './view.ts'

const name = z.string().max(100).optional()

/** Extensions of the site, and what they do in the background. */
export const extensions = {
  list: endpoint({
    method: 'GET',
    path: '/system/extensions',
    summary: 'List the extensions',
    description: 'With what they run, and how many runs wait and have failed. `select=runs` has the last 100.',
    access: 'access.system',
    query: listQuery,
    answer: collection(extensionView.schema),
    handler: async ({ ctx, app, query }) => showList(ctx, extensionView, await listExtensions(app), query),
  }),

  run: endpoint({
    method: 'POST',
    path: '/system/extensions/:name/runs',
    summary: 'Start a job, or a run again',
    description: 'Queues it and answers at once.',
    access: 'access.system',
    authorizedByOperation: true,
    body: z.strictObject({ job: name, again: name.describe('The id of a run.') }),
    answer: done,
    handler: async ({ ctx, params, body }) => runByHand(ctx, params.name, body),
  }),
}

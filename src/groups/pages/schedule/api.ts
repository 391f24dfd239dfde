import { z } from 'zod'
import { expectedRevision } from '../../../content/revision.ts'
import { fail } from '../../../platform/errors.ts'
import { done, model } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import type { RequestContext } from '../../../http/context.ts'
import { customRule } from '../../../http/validate.ts'
import { languageQuery, timestampSchema } from '../../../http/query-schemas.ts'
import { message } from '../../../platform/texts.ts'
import type { PageRow } from '../queries.ts'
import { publishBody, draftToPublish } from '../publish.ts'
import { pageTarget } from '../target.ts'
import { cancelPlan, planStatus } from './schedule.ts'
import { scheduleOf, scheduleSchema } from './view.ts'

const query = z.strictObject(languageQuery)
const tenYears = 10 * 365.25 * 24 * 60 * 60_000

/** A time within the next ten years, in ms. */
export const scheduleTime = timestampSchema.refine(
  time => time <= Date.now() + tenYears,
  customRule('max', message('validation.latest', { max: '+10 years' })),
)

/** The scheduled change of the status of a page. */
export const schedule = {
  get: endpoint({
    method: 'GET',
    path: '/pages/:id/schedule',
    summary: 'Retrieve what is planned for a page',
    description:
      'The planned status and its time, and whether the draft is published with it. 404 if nothing is planned.',
    access: 'session',
    on: pageTarget,
    query,
    answer: model(scheduleSchema),
    handler: ({ ctx, target }) => planned(ctx, target.page),
  }),

  change: endpoint({
    method: 'PATCH',
    path: '/pages/:id/schedule',
    summary: 'Plan when a page gets another status, or when its draft is published',
    description: [
      'Replaces what was planned. At that time the page gets the status as if the caller had done it then, with the permissions of that moment. A plan that cannot be carried out stays with its reason.',
      'It needs `pages.publish`, and with `publishChanges` also `pages.update`.',
    ],
    access: 'pages.changeStatus',
    authorizedByOperation: true,
    on: pageTarget,
    query,
    body: z.strictObject({ status: z.enum(['draft', 'unlisted', 'listed']), at: scheduleTime, ...publishBody }),
    answer: model(scheduleSchema),
    handler: async ({ ctx, exchange, target, body: { status, at: due, ...body } }) => {
      const expected = expectedRevision(exchange)
      const publish = await draftToPublish(ctx, body)
      await planStatus(ctx, target.page, { status, due, expected, publish })
      return planned(ctx, target.page)
    },
  }),

  delete: endpoint({
    method: 'DELETE',
    path: '/pages/:id/schedule',
    summary: 'Forget what is planned for a page',
    description: 'Removes the plan. The page stays as it is.',
    access: 'pages.changeStatus',
    authorizedByOperation: true,
    on: pageTarget,
    query,
    answer: done,
    handler: ({ ctx, exchange, target }) => cancelPlan(ctx, target.page, { expected: expectedRevision(exchange) }),
  }),
}

async function planned(ctx: RequestContext, target: PageRow) {
  const found = await scheduleOf(ctx, target)
  if (!found) throw fail('page.schedule.notFound')
  return found
}

import { z } from 'zod'
import { collection, done, model } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { listQuery, showList } from '../../../http/list.ts'
import { selectionQuery } from '../../../http/query-schemas.ts'
import { selectWebhooks } from './queries.ts'
import { deliveryView, webhookView, withSecret } from './view.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findWebhook,
  listDeliveries,
  rotateSecret,
  sendAgain,
  sendTest,
} from './webhooks.ts'

const selectionSchema = z.strictObject({ ...selectionQuery })
const names = z.array(z.string().min(1).max(200)).max(100)

const settings = {
  url: z.string().min(1).max(2000),
  events: z
    .array(z.string().min(1).max(100))
    .min(1)
    .max(50)
    .describe('Names such as `page.published`, `page.*` or `*`.'),
  templates: names.optional().describe('Only events of these templates; all if the list is empty.'),
  languages: names.optional().describe('Only events of these languages; all if the list is empty.'),
  gather: z.int().min(0).max(3600).optional().describe('Joins the events of so many seconds into one delivery.'),
  active: z.boolean().optional(),
}

/** Webhooks: changes are sent to other servers. */
export const webhooks = {
  list: endpoint({
    method: 'GET',
    path: '/system/webhooks',
    summary: 'List the webhooks',
    description: 'All webhooks, those of the settings file included. Secrets are never shown here.',
    access: 'access.system',
    query: listQuery,
    answer: collection(webhookView.schema),
    handler: async ({ ctx, app, query }) => showList(ctx, webhookView, await selectWebhooks(app.store), query),
  }),

  create: endpoint({
    method: 'POST',
    path: '/system/webhooks',
    summary: 'Create a webhook, with a secret that is shown this once',
    description:
      'From now on matching changes are sent to the URL, signed by Standard Webhooks. Private networks are refused unless `webhooks.allow` lists them. The answer has the secret for checking signatures, this once.',
    access: 'access.system',
    authorizedByOperation: true,
    body: z.strictObject(settings),
    answer: withSecret,
    handler: async ({ ctx, app, body }) => {
      const { id, secret } = await createWebhook(ctx, body)
      return { data: await webhookView.show(ctx, await findWebhook(app, id)), secret }
    },
  }),

  get: endpoint({
    method: 'GET',
    path: '/system/webhooks/:id',
    summary: 'Retrieve a webhook',
    description: 'Its URL, events and filters, and whether it was turned off.',
    access: 'access.system',
    query: selectionSchema,
    answer: model(webhookView.schema),
    handler: async ({ ctx, app, params, query }) => webhookView.show(ctx, await findWebhook(app, params.id), query),
  }),

  update: endpoint({
    method: 'PATCH',
    path: '/system/webhooks/:id',
    summary: 'Change a webhook, or turn it on or off',
    description:
      'Changes what is sent and leaves the rest. Turning it off drops what is waiting; events that happen meanwhile are not sent later. A webhook of the settings file can only be turned on and off here.',
    access: 'access.system',
    authorizedByOperation: true,
    body: z.strictObject({ ...settings, url: settings.url.optional(), events: settings.events.optional() }),
    answer: model(webhookView.schema),
    handler: async ({ ctx, app, params, body }) => {
      await changeWebhook(ctx, params.id, body)
      return webhookView.show(ctx, await findWebhook(app, params.id))
    },
  }),

  delete: endpoint({
    method: 'DELETE',
    path: '/system/webhooks/:id',
    summary: 'Delete a webhook and its deliveries',
    description: 'Waiting deliveries are dropped.',
    access: 'access.system',
    authorizedByOperation: true,
    answer: done,
    handler: ({ ctx, params }) => deleteWebhook(ctx, params.id),
  }),

  rotateSecret: endpoint({
    method: 'POST',
    path: '/system/webhooks/:id/secret',
    summary: 'Create a new secret, which is shown this once; the old one is valid for another day',
    description:
      'Deliveries are signed with both secrets for a day, so that the receiver can be changed without a gap.',
    access: 'access.system',
    authorizedByOperation: true,
    answer: withSecret,
    handler: async ({ ctx, app, params }) => {
      const secret = await rotateSecret(ctx, params.id)
      return { data: await webhookView.show(ctx, await findWebhook(app, params.id)), secret }
    },
  }),

  test: endpoint({
    method: 'POST',
    path: '/system/webhooks/:id/test',
    summary: 'Send a test',
    description: 'Queues a delivery with a test event and answers it. It appears among the deliveries with its result.',
    access: 'access.system',
    authorizedByOperation: true,
    answer: model(deliveryView.schema),
    handler: async ({ ctx, params }) => deliveryView.show(ctx, await sendTest(ctx, params.id)),
  }),

  deliveries: endpoint({
    method: 'GET',
    path: '/system/webhooks/:id/deliveries',
    summary: 'List the last 100 deliveries of a webhook, the newest first',
    description:
      'State, attempts, times and results of each delivery. What the receiver answered is shown only to the owner of the webhook, or, for a webhook of the settings, to administrators.',
    access: 'access.system',
    query: listQuery,
    answer: collection(deliveryView.schema),
    handler: async ({ ctx, app, params, query }) =>
      showList(ctx, deliveryView, await listDeliveries(app, await findWebhook(app, params.id)), query),
  }),

  sendAgain: endpoint({
    method: 'POST',
    path: '/system/webhooks/:id/deliveries/:delivery/again',
    summary: 'Send a delivery again',
    description: 'Queues the same event with the same id again, whatever became of it before.',
    access: 'access.system',
    authorizedByOperation: true,
    answer: model(deliveryView.schema),
    handler: async ({ ctx, params }) => deliveryView.show(ctx, await sendAgain(ctx, params.id, params.delivery)),
  }),
}

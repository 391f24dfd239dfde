import { z } from 'zod'
import { collection, done, model } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { listQuery, showList } from '../../../http/list.ts'
import { selectionQuery } from '../../../http/view.ts'
import { allWebhooks } from './queries.ts'
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
    access: 'access.system',
    query: listQuery,
    answer: collection(webhookView.schema),
    handler: async ({ ctx, app, query }) => showList(ctx, webhookView, await allWebhooks(app.store), query),
  }),

  create: endpoint({
    method: 'POST',
    path: '/system/webhooks',
    summary: 'Create a webhook, with a secret that is shown this once',
    access: 'access.system',
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
    access: 'access.system',
    query: selectionSchema,
    answer: model(webhookView.schema),
    handler: async ({ ctx, app, params, query }) => webhookView.show(ctx, await findWebhook(app, params.id), query),
  }),

  update: endpoint({
    method: 'PATCH',
    path: '/system/webhooks/:id',
    summary: 'Change a webhook, or turn it on or off',
    access: 'access.system',
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
    access: 'access.system',
    answer: done,
    handler: ({ ctx, params }) => deleteWebhook(ctx, params.id),
  }),

  rotateSecret: endpoint({
    method: 'POST',
    path: '/system/webhooks/:id/secret',
    summary: 'Create a new secret, which is shown this once; the old one is valid for another day',
    access: 'access.system',
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
    access: 'access.system',
    answer: model(deliveryView.schema),
    handler: async ({ ctx, params }) => deliveryView.show(ctx, await sendTest(ctx, params.id)),
  }),

  deliveries: endpoint({
    method: 'GET',
    path: '/system/webhooks/:id/deliveries',
    summary: 'List the last 100 deliveries of a webhook, the newest first',
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
    access: 'access.system',
    answer: model(deliveryView.schema),
    handler: async ({ ctx, params }) => deliveryView.show(ctx, await sendAgain(ctx, params.id, params.delivery)),
  }),
}

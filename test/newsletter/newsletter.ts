/** An extension for tests of the typed client: endpoints with every kind of input, and documents. */
import { defineExtension, documents, endpoint, json, refuse, z } from '../../src/index.ts'

const subscriber = z.strictObject({ email: z.string(), list: z.enum(['news', 'offers']) })
const subscribers = documents('subscribers', { value: subscriber, index: ['list'] })

export const newsletter = () =>
  defineExtension({
    name: 'newsletter',
    permissions: { subscribers: 'See and remove subscribers.' },
    errors: { unknown: [404, 'There is no such subscriber.'] },
    store: [subscribers],
    endpoints: {
      subscribers: {
        list: endpoint({
          method: 'GET',
          path: '/subscribers',
          summary: 'List the subscribers',
          access: 'newsletter.subscribers',
          query: z.strictObject({ list: z.enum(['news', 'offers']).optional() }),
          answer: json(z.object({ data: z.array(subscriber) })),
          handler: async ({ cms, query: { list } }) => {
            const { data } = await cms.store(subscribers).list({ where: { list } })
            return { data: data.map(({ value }) => value) }
          },
        }),
        create: endpoint({
          method: 'POST',
          path: '/subscribers',
          summary: 'Subscribe',
          access: 'public',
          body: z.strictObject({ email: z.string().max(100), list: z.enum(['news', 'offers']).default('news') }),
          answer: json(subscriber),
          handler: async ({ cms, body }) => (await cms.store(subscribers).put(body.email, body)).value,
        }),
        delete: endpoint({
          method: 'DELETE',
          path: '/subscribers/:email',
          summary: 'Remove a subscriber',
          access: 'newsletter.subscribers',
          answer: json(z.object({ deleted: z.literal(true) })),
          handler: async ({ cms, params }) =>
            (await cms.store(subscribers).delete(params.email)) ? { deleted: true as const } : refuse('unknown'),
        }),
      },
    },
  })

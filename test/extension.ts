/** An extension for tests, with one of everything. */
import { defineExtension, endpoint, json, refuse, z } from '../src/index.ts'

const order = z.object({ id: z.string(), title: z.string() })

export const shop = (settings: { currency: string }) =>
  defineExtension(
    {
      name: 'shop',
      settings: z.strictObject({ currency: z.string().length(3) }),
      permissions: { orders: 'See orders.', prices: 'Change prices.' },
      errors: { priceMissing: [422, 'The product "{product}" needs a price.'], closed: [409, 'The shop is closed.'] },
      texts: { de: { priceMissing: 'Das Produkt „{product}“ braucht einen Preis.' } },
      endpoints: {
        currency: endpoint({
          method: 'GET',
          path: '/currency',
          summary: 'Retrieve the currency',
          access: 'public',
          perMinute: 5,
          answer: json(z.object({ currency: z.string() })),
          handler: async () => settings,
        }),
        orders: {
          list: endpoint({
            method: 'GET',
            path: '/orders',
            summary: 'List the orders',
            access: 'shop.orders',
            query: z.strictObject({ limit: z.coerce.number().max(10).default(3) }),
            answer: json(z.object({ data: z.array(order), caller: z.string() })),
            handler: async ({ cms, caller, query }) => {
              const { data } = await cms.site.children.list({ limit: query.limit, status: 'all' })
              return { data: data.map(({ id, title }) => ({ id, title: title ?? '' })), caller: caller.role }
            },
          }),
          create: endpoint({
            method: 'POST',
            path: '/orders/:product',
            summary: 'Order a product',
            access: 'session',
            body: z.strictObject({ amount: z.int().min(0), asSystem: z.boolean().default(false) }),
            answer: json(order),
            handler: async ({ cms, params: { product }, body }) => {
              if (body.amount === 0) refuse('priceMissing', { product })
              const { id, title } = await (body.asSystem ? cms.asSystem() : cms).site.children.create({
                slug: product,
                template: 'order',
                content: { title: `${body.amount} × ${product}` },
              })
              return { id: id ?? '', title: title ?? '' }
            },
          }),
        },
        drafts: endpoint({
          method: 'GET',
          path: '/drafts',
          summary: 'Count the drafts',
          access: 'pages.update',
          answer: json(z.object({ count: z.int() })),
          handler: async ({ cms }) => ({
            count: (await cms.site.children.list({ status: 'draft' })).pagination.total,
          }),
        }),
        broken: {
          answer: endpoint({
            method: 'GET',
            path: '/broken/answer',
            summary: 'Answer what the schema forbids',
            access: 'public',
            answer: json(z.object({ count: z.int() })),
            handler: async () => ({ count: 'many' as unknown as number }),
          }),
          throws: endpoint({
            method: 'GET',
            path: '/broken/throws',
            summary: 'Throw an error',
            access: 'public',
            answer: json(z.object({})),
            handler: async () => {
              throw new TypeError('secret of the program')
            },
          }),
          unknown: endpoint({
            method: 'GET',
            path: '/broken/unknown',
            summary: 'Refuse with an error that is not declared',
            access: 'public',
            answer: json(z.object({})),
            handler: async () => refuse('nothing'),
          }),
        },
      },
    },
    settings,
  )

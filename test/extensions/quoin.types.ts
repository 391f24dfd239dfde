// Made by `quoin types` from the blueprints of the site, and made again when they change.

export interface Blueprints {
  extensions: {
    newsletter: {
      subscribers: {
        answer: (body: { token: string; subscribed: boolean }) => Promise<{ status: 'ok' }>
        create: (body: { email: string }) => Promise<{ status: 'ok' }>
        list: (params?: { after?: string }) => Promise<{ data: ({ email: string; state: 'asked' | 'confirmed'; time: string })[]; next: string | null }>
      }
    }
    shop: {
      broken: {
        answer: () => Promise<{ count: number }>
        throws: () => Promise<Record<string, never>>
        unknown: () => Promise<Record<string, never>>
      }
      currency: () => Promise<{ currency: string }>
      drafts: () => Promise<{ count: number }>
      orders: {
        create: (params: { product: string }, body: { amount: number; asSystem?: boolean }) => Promise<{ id: string; title: string }>
        list: (params?: { limit?: number }) => Promise<{ data: { id: string; title: string }[]; caller: string }>
      }
    }
  }
  files: {
    default: {
      sort?: string
      template?: string
      uuid: string
    }
  }
  pages: {
    default: {
      title?: string
      uuid: string
    }
  }
  site: {
    title?: string
  }
  users: {
    admin: Record<string, never>
    editor: Record<string, never>
  }
}

/** For `createClient<Blueprints>({ url, routes: extensionRoutes })`. */
export const extensionRoutes = {
  'extensions.newsletter.subscribers.list': ['GET', '/extensions/newsletter/subscribers', 'query'],
  'extensions.newsletter.subscribers.create': ['POST', '/extensions/newsletter/subscribers', 'body'],
  'extensions.newsletter.subscribers.answer': ['POST', '/extensions/newsletter/answers', 'body'],
  'extensions.shop.currency': ['GET', '/extensions/shop/currency', ''],
  'extensions.shop.orders.list': ['GET', '/extensions/shop/orders', 'query'],
  'extensions.shop.orders.create': ['POST', '/extensions/shop/orders/:product', 'body'],
  'extensions.shop.drafts': ['GET', '/extensions/shop/drafts', ''],
  'extensions.shop.broken.answer': ['GET', '/extensions/shop/broken/answer', ''],
  'extensions.shop.broken.throws': ['GET', '/extensions/shop/broken/throws', ''],
  'extensions.shop.broken.unknown': ['GET', '/extensions/shop/broken/unknown', ''],
} as const

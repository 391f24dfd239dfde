// Made by `quoin types` from the blueprints of the site, and made again when they change.

export interface Blueprints {
  extensions: {
    newsletter: {
      subscribers: {
        create: (body: { email: string; list?: 'news' | 'offers' }) => Promise<{ email: string; list: 'news' | 'offers' }>
        delete: (url: { email: string }) => Promise<{ deleted: true }>
        list: (url?: { list?: 'news' | 'offers' }) => Promise<{ data: ({ email: string; list: 'news' | 'offers' })[] }>
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
  'extensions.newsletter.subscribers.delete': ['DELETE', '/extensions/newsletter/subscribers/:email', ''],
} as const

import { client } from '../app/client.ts'

/** What a preview shows: a page or the site, in one language. */
export interface PreviewSource {
  /** As fields name it: `page://…` or `site://`. */
  owner: string
  language: string | undefined
  /** Creates a pass, and returns the address with it. */
  create: () => Promise<{ url: string }>
  /** Asks the server whether this address can be shown in a frame of the panel. */
  check: () => Promise<{ frame: 'allowed' | 'refused' | 'unreachable' | 'unknown'; header: string | null }>
}

export const pagePreview = (id: string, owner: string, language: string | undefined): PreviewSource => ({
  owner,
  language,
  create: () => client.pages.preview.create({ id, language }, {}),
  check: () => client.pages.preview.check({ id, language }),
})

export const sitePreview = (language: string | undefined): PreviewSource => ({
  owner: 'site://',
  language,
  create: () => client.site.preview.create({ language }, {}),
  check: () => client.site.preview.check({ language }),
})

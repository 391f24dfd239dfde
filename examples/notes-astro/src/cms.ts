import { createClient, isBroken, type OrBroken, QuoinError } from 'quoin/client'
import type { Blueprints } from '../quoin.types.ts'

/** Where the CMS is. Its panel may frame this site. */
export const cmsUrl = process.env['QUOIN_URL'] ?? 'http://127.0.0.1:4080'

type Contents = Blueprints['pages']

/** A page. Its template decides which fields its content has. */
export type Page = {
  [Name in keyof Contents]: { template: Name; content: Contents[Name] }
}[keyof Contents] & { id: string; uuid: string; title: string; url: string; editable?: string }

export type Note = Page & { template: 'note' }

/** A picture in all its sizes. */
export interface Picture {
  uuid: string
  alt: string
  caption: OrBroken<string>
  width: number
  height: number
  url: string
  thumbs: Record<string, string>
}

export interface Language {
  code: string
  name: string
  default: boolean
  url: string
}

interface Found {
  page?: Page | undefined
  /** Where to send the visitor. */
  redirect?: string
  language: Language | undefined
  languages: Language[]
}

/** A list that the CMS cannot read is shown as empty; `quoin check --data` reports it. */
export const listOf = <Item>(value: OrBroken<Item[]>): Item[] => (isBroken(value) ? [] : value)

/** The CMS has sanitised the HTML. Links in it contain the uuid of a page (`/@/page/…`): `/link/…` redirects to the page. */
export const htmlOf = (value: OrBroken<string>, language: Language | undefined): string =>
  isBroken(value) ? '' : value.replaceAll('"/@/page/', `"/link/${language?.code ?? 'en'}/`)

export const pathOf = (url: string): string => new URL(url).pathname

/** The CMS as visitors see it, or with a pass as it will be when everything is published. */
export function connect(pass?: string) {
  const published = createClient<Blueprints>({ url: cmsUrl, token: process.env['QUOIN_TOKEN'] })
  const preview = pass === undefined ? undefined : createClient<Blueprints>({ url: cmsUrl, token: pass })

  type Client = typeof published
  type Version = { version?: 'changes' }

  /** The pass of a page opens no other pages: these are shown as they are published. */
  async function read<Result>(call: (client: Client, version: Version) => Promise<Result>): Promise<Result> {
    if (preview) {
      try {
        return await call(preview, { version: 'changes' })
      } catch (error) {
        if (!(error instanceof QuoinError) || error.status >= 500) throw error
      }
    }
    return call(published, {})
  }

  const select = ['content', 'id', 'template', 'title', 'url', 'uuid'] as const

  /** Undefined instead of an error if there is no such page. */
  async function orNothing<Result>(result: Promise<Result>): Promise<Result | undefined> {
    try {
      return await result
    } catch (error) {
      if (error instanceof QuoinError && error.status === 404) return undefined
      throw error
    }
  }

  async function languages(): Promise<Language[]> {
    const { data } = await published.languages.list({})
    return data as Language[]
  }

  return {
    languages,

    /** The page at a path of this site, such as `/de/notizen/tinte`, or the redirect from this path. */
    async find(path: string): Promise<Found> {
      const all = await languages()
      const found = await orNothing(
        read((client, version) => client.site.resolve({ path, select: [...select], ...version })),
      )
      const language = all.find(({ code }) => code === found?.language) ?? all.find(one => one.default)
      if (found?.type === 'redirect') return { redirect: found.redirect.path, language, languages: all }
      return { page: found?.data as Page | undefined, language, languages: all }
    },

    /** The path of a page, by the uuid that a link in a text contains: `aB3uKz7yPm1tWd9f`. */
    async linked(uuid: string, language?: string): Promise<string | undefined> {
      const page = await orNothing(
        read((client, version) => client.pages.get({ id: `@${uuid}`, language, select: ['url'], ...version })),
      )
      return page && pathOf(page.url)
    },

    async site(language?: Language): Promise<Blueprints['site'] & { title: string }> {
      const { content, title } = await read((client, version) =>
        client.site.get({ language: language?.code, select: ['content', 'title'], ...version }),
      )
      return { ...content!, title: title! }
    },

    /** The newest one first. */
    async notes(language?: Language): Promise<Note[]> {
      const { data } = await read((client, version) =>
        client.pages.children.list({
          id: 'notes',
          language: language?.code,
          select: [...select],
          limit: 1000,
          ...version,
        }),
      )
      return (data as Note[]).toSorted((one, other) => (one.content.date > other.content.date ? -1 : 1))
    },

    async search(words: string, language?: Language): Promise<Page[]> {
      if (words.trim() === '') return []
      const query = { q: words.slice(0, 200), language: language?.code, select: [...select], limit: 20 }
      return (await published.site.search(query)).data as Page[]
    },

    /** The pictures of a page by their uuids, as fields and blocks refer to them. */
    async pictures(id: string, language?: Language): Promise<ReadonlyMap<string, Picture>> {
      const { data } = await read((client, version) =>
        client.pages.files.list<'picture'>({
          id: id.replaceAll('/', '+'),
          language: language?.code,
          select: ['content', 'dimensions', 'thumbs', 'url', 'uuid'],
          ...version,
        }),
      )
      return new Map(
        data.map(({ content, dimensions, thumbs, url, uuid }) => {
          const { width = 0, height = 0 } = dimensions ?? {}
          const { alt, caption } = content!
          return [uuid!, { uuid: uuid!, alt, caption, width, height, url: url!, thumbs: thumbs ?? {} }]
        }),
      )
    },
  }
}

export type Cms = ReturnType<typeof connect>

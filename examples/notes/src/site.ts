import { type ClientOptions, createClient, type OrBroken } from 'quoin/client'
import type { Blueprints } from '../quoin.types.ts'

type Site = Blueprints['site']
type Note = Blueprints['pages']['note']

/** A picture with all its sizes. */
export interface Picture {
  alt: string
  caption: OrBroken<string>
  width: number
  height: number
  url: string
  thumbs: Record<string, string>
}

export interface ListedNote {
  uuid: string
  slug: string
  title: string
  content: Note
}

export interface ShownNote extends ListedNote {
  /** By their uuids, as fields and blocks refer to them. */
  pictures: ReadonlyMap<string, Picture>
}

/** What this front end reads of the site. */
export function connect(options: ClientOptions) {
  const client = createClient<Blueprints>(options)

  async function readPictures(id: string): Promise<ShownNote['pictures']> {
    const { data } = await client.pages.files.list<'picture'>({
      id,
      select: ['content', 'dimensions', 'thumbs', 'url', 'uuid'],
    })
    return new Map(
      data.map(({ content, dimensions, thumbs, url, uuid }) => {
        const { width = 0, height = 0 } = dimensions ?? {}
        const { alt, caption } = content!
        return [uuid!, { alt, caption, width, height, url: url!, thumbs: thumbs ?? {} }]
      }),
    )
  }

  return {
    async site(): Promise<Site> {
      const { content } = await client.site.get({ select: ['content'] })
      return content
    },

    /** The newest one first. */
    async notes(): Promise<ListedNote[]> {
      const { data } = await client.pages.children.list<'note'>({
        id: 'notes',
        select: ['content', 'slug', 'title', 'uuid'],
        limit: 1000,
      })
      return data
        .map(({ content, slug, title, uuid }) => ({ content: content!, slug: slug!, title: title!, uuid: uuid! }))
        .toSorted((one, other) => (one.content.date > other.content.date ? -1 : 1))
    },

    async withPictures(note: ListedNote): Promise<ShownNote> {
      return { ...note, pictures: await readPictures(`notes+${note.slug}`) }
    },
  }
}

export type Connection = ReturnType<typeof connect>

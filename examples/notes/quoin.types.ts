// Made by `quoin types` from the blueprints of the site, and made again when they change.

import type { FileEntry, OrBroken, OrEmpty, PageEntry, UserEntry } from 'quoin/client'

export interface Blueprints {
  files: {
    default: {
      sort?: string
      template?: string
      uuid: string
    }
    picture: {
      alt: string
      caption: OrBroken<string>
      copyright: string
      sort?: string
      template?: string
      uuid: string
    }
  }
  pages: {
    about: {
      address: OrBroken<
        OrEmpty<{
          map: string
          street: string
          town: string
        }>
      >
      closes: string
      colour: string | null
      days: ('tue' | 'thu' | 'sat')[]
      gallery: OrBroken<FileEntry[]>
      open: boolean
      opens: string
      people: OrBroken<
        {
          about: string
          name: string
          since: number | ''
          trade: 'binder' | 'compositor' | 'printer' | ''
        }[]
      >
      text: OrBroken<string>
      title?: string
      uuid: string
    }
    default: {
      intro: string
      text: string
      title?: string
      uuid: string
    }
    error: {
      text: string
      title?: string
      uuid: string
    }
    home: {
      cover: OrBroken<FileEntry[]>
      featured: OrBroken<PageEntry[]>
      headline: string
      intro: OrBroken<string>
      title?: string
      uuid: string
    }
    note: {
      author: OrBroken<UserEntry[]>
      cover: OrBroken<FileEntry[]>
      date: string
      intro: OrBroken<string>
      kind: 'story' | 'howto' | 'news' | ''
      related: OrBroken<PageEntry[]>
      tags: string[]
      text: OrBroken<(
        | GalleryBlock
        | HeadingBlock
        | ImageBlock
        | LineBlock
        | ListBlock
        | QuoteBlock
        | TableBlock
        | TextBlock
      )[]>
      title?: string
      uuid: string
    }
    notes: {
      intro: string
      title?: string
      uuid: string
    }
  }
  site: {
    contact: string
    copyright: string
    links: OrBroken<
      {
        label: string
        to: string
      }[]
    >
    tagline: string
    title?: string
  }
  users: {
    admin: {
      bio: string
    }
    editor: {
      bio: string
    }
  }
}

export interface GalleryBlock {
  content: {
    caption: OrBroken<string>
    crop: boolean
    images: OrBroken<FileEntry[]>
    ratio: '1/1' | '16/9' | '10/8' | '21/9' | '7/5' | '4/3' | '5/3' | '3/2' | '3/1' | ''
  }
  id: string
  isHidden: boolean
  type: 'gallery'
}

export interface HeadingBlock {
  content: {
    level: 'h1' | 'h2' | 'h3' | 'h4' | 'h5' | 'h6' | ''
    text: OrBroken<string>
  }
  id: string
  isHidden: boolean
  type: 'heading'
}

export interface ImageBlock {
  content: {
    alt: string
    caption: OrBroken<string>
    crop: boolean
    image: OrBroken<FileEntry[]>
    link: string
    location: 'kirby' | 'web' | ''
    ratio: '1/1' | '16/9' | '10/8' | '21/9' | '7/5' | '4/3' | '5/3' | '3/2' | '3/1' | ''
    src: string
  }
  id: string
  isHidden: boolean
  type: 'image'
}

export interface LineBlock {
  content: Record<string, never>
  id: string
  isHidden: boolean
  type: 'line'
}

export interface ListBlock {
  content: {
    text: OrBroken<string>
  }
  id: string
  isHidden: boolean
  type: 'list'
}

export interface QuoteBlock {
  content: {
    citation: OrBroken<string>
    text: OrBroken<string>
  }
  id: string
  isHidden: boolean
  type: 'quote'
}

export interface TableBlock {
  content: {
    table: OrBroken<{
      header: boolean
      rows: string[][]
    }>
  }
  id: string
  isHidden: boolean
  type: 'table'
}

export interface TextBlock {
  content: {
    text: OrBroken<string>
  }
  id: string
  isHidden: boolean
  type: 'text'
}

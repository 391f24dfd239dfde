import { client } from '../../app/client.ts'
import { readWholePage } from '../../app/read-whole.ts'
import type { Values } from '../field.ts'

/** An entry that is selected or can be: the properties from the API that the panel uses. */
export interface Entry {
  id: string
  uuid?: string | null
  text: string
  info?: string | null
  link?: string | null
  url?: string | null
  image?: Values | null
  type?: string | null
  filename?: string
  email?: string
  hasChildren?: boolean
  [part: string]: unknown
}

export interface FoundEntries {
  entries: Entry[]
  total: number
  /** Number of entries that were searched, if not all of them were. */
  looked?: number | undefined
}

export interface EntriesQuery {
  search: string
  page: number
  language: string | undefined
  /** Only children of this page. Its id has `+` in place of slashes. */
  below?: string | undefined
}

export const pageSize = 50

/** Where a picker loads its entries from. */
export interface Source {
  key: readonly unknown[]
  list: (query: EntriesQuery) => Promise<FoundEntries>
}

export type PickerType = 'files' | 'pages' | 'users'

// ---- entries of a picker field

/** Entries that the query of the field finds, listed by the API. `path` is the path of a field, which may be nested. */
export function fieldSource(model: string, path: string): Source {
  const owner = ownerOf(undefined, model)
  const [, file] = model.split('/files/')
  const filename = file === undefined ? undefined : decodeURIComponent(file)
  const id = idIn(owner)
  const calls = owner.startsWith('/pages/') ? client.pages : client.users
  return {
    key: ['field', model, path],
    async list({ search, below, ...paging }) {
      const parts = { ...(search !== '' && { search }), ...(below !== undefined && { parent: below }) }
      const { data, pagination, looked } = await readWholePage(from => {
        const query = { name: path, ...contextOf(paging), ...parts, ...from }
        if (owner === '/site')
          return filename === undefined ? client.site.field(query) : client.site.fileField({ filename, ...query })
        return filename === undefined ? calls.field({ id, ...query }) : calls.fileField({ id, filename, ...query })
      })
      // The properties of an entry depend on the blueprint of the field.
      return { entries: data as Entry[], total: pagination.total, looked }
    },
  }
}

/**
 * Whether pages can be opened to choose among their children. A query limits the choice to its results, unless it lists
 * children.
 */
export function canBrowseChildren({ query, subpages }: Values): boolean {
  if (subpages === false) return false
  return typeof query !== 'string' || /\.children(?:\.(?:published|listed|unlisted))?\s*$/.test(query)
}

// ---- owners of files

/**
 * The path of the resource that a blueprint query refers to: `/pages/a+b`, `/site`. Without a query, that of the model
 * itself.
 */
export function ownerOf(query: unknown, model: string): string {
  const owner = model.replace(/\/files\/[^/]+$/, '').replace(/^\/account$/, '/users/account')
  const chain = typeof query === 'string' ? query.trim() : ''
  if (chain === '') return owner
  let link = '/site'
  for (const [, name = '', argument = ''] of chain.matchAll(/(\w+)(?:\(\s*["']?([^"')]*)["']?\s*\))?/g)) {
    if (name === 'model' || ((name === 'page' || name === 'user') && argument === '')) link = owner
    else if (name === 'page' || name === 'find') link = `/pages/${argument.replaceAll('/', '+')}`
    else if (name === 'parent') link = parentOf(link)
  }
  return link
}

function parentOf(link: string): string {
  const above = link.split('+').slice(0, -1).join('+')
  return above === '' ? '/site' : above
}

export const idIn = (link: string): string => link.replace(/^\/(?:pages|users)\//, '')

// ---- link targets

export const fileParts = ['filename', 'id', 'link', 'niceSize', 'panelImage', 'type', 'url', 'uuid'] as const
const pageParts = ['hasChildren', 'id', 'panelImage', 'status', 'title', 'url', 'uuid'] as const

const contextOf = ({ page, language }: Pick<EntriesQuery, 'page' | 'language'>) => ({
  page,
  limit: pageSize,
  ...(language !== undefined && { language }),
})

const findFiles = (q: string, paging: Pick<EntriesQuery, 'page' | 'language'>) =>
  readWholePage(from => client.site.searchFiles({ ...contextOf(paging), ...from, select: fileParts, q }))

/** The files of the model; a search covers the whole site. */
export function fileSource(model: string): Source {
  const owner = ownerOf(undefined, model)
  const id = idIn(owner)
  return {
    key: ['files', owner],
    async list(query) {
      if (query.search !== '') {
        const { data, pagination } = await findFiles(query.search, query)
        // Shows the id, because a search may find files of the same name elsewhere.
        return { entries: data.map(file => ({ ...fileEntry(file), info: file.id })), total: pagination.total }
      }
      const { data, pagination } = await readWholePage(from => {
        const parameters = { ...contextOf(query), ...from, select: fileParts }
        if (owner === '/site') return client.site.files.list(parameters)
        return owner.startsWith('/pages/')
          ? client.pages.files.list({ id, ...parameters })
          : client.users.files.list({ id, ...parameters })
      })
      return { entries: data.map(fileEntry), total: pagination.total }
    },
  }
}

export const fileEntry = (file: Awaited<ReturnType<typeof findFiles>>['data'][number]): Entry => ({
  id: file.id,
  uuid: file.uuid,
  text: file.filename,
  filename: file.filename,
  info: file.niceSize,
  link: file.link,
  url: file.url,
  image: file.panelImage,
  type: file.type,
})

/** All pages, level by level. */
export function pageSource(language: string | undefined): Source {
  return {
    key: ['pages', language],
    async list({ search, below, ...paging }) {
      const { data, pagination } = await readWholePage(from => {
        const query = { ...contextOf(paging), ...from, select: pageParts }
        if (search !== '') return client.site.search({ ...query, q: search })
        return below === undefined
          ? client.site.children.list(query)
          : client.pages.children.list({ ...query, id: below })
      })
      const entries = data.map(({ id, title, uuid, url, panelImage, hasChildren }) => ({
        id,
        uuid,
        text: title,
        info: id,
        link: `/pages/${id.replaceAll('/', '+')}`,
        url,
        image: panelImage,
        hasChildren,
      }))
      return { entries, total: pagination.total }
    },
  }
}

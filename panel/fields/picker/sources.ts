import { client } from '../../app/client.ts'
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

export interface Found {
  entries: Entry[]
  total: number
  /** Number of entries that were searched, if not all of them were. */
  looked?: number | undefined
}

export interface Wanted {
  search: string
  page: number
  language: string | undefined
  /** Only children of this page. Its id has `+` in place of slashes. */
  below?: string | undefined
}

export const atOnce = 50

/** Where a picker loads its entries from. */
export interface Source {
  key: readonly unknown[]
  list: (wanted: Wanted) => Promise<Found>
}

export type PickerType = 'files' | 'pages' | 'users'

// ---- entries of a picker field

type Ask = (query: object) => Promise<{ data: unknown[]; pagination: { total: number }; looked?: number }>

/** Entries that the query of the field finds, listed by the API. `path` is the path of a field, which may be nested. */
export function fieldSource(model: string, path: string): Source {
  const owner = ownerOf(undefined, model)
  const [, filename] = model.split('/files/')
  const calls = owner.startsWith('/pages/') ? client.pages : owner === '/site' ? client.site : client.users
  const ask = (filename === undefined ? calls.field : calls.fileField) as never as Ask
  const at = {
    ...(owner !== '/site' && { id: idIn(owner) }),
    ...(filename !== undefined && { filename: decodeURIComponent(filename) }),
  }
  return {
    key: ['field', model, path],
    async list({ search, below, ...wanted }) {
      const parts = { ...(search !== '' && { search }), ...(below !== undefined && { parent: below }) }
      const { data, pagination, looked } = await ask({ ...at, name: path, ...about(wanted), ...parts })
      return { entries: data as Entry[], total: pagination.total, looked }
    },
  }
}

/**
 * Whether pages can be opened to choose among their children. A query limits the choice to its results, unless it lists
 * children.
 */
export function isWalked({ query, subpages }: Values): boolean {
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
  for (const [, name = '', given = ''] of chain.matchAll(/(\w+)(?:\(\s*["']?([^"')]*)["']?\s*\))?/g)) {
    if (name === 'model' || ((name === 'page' || name === 'user') && given === '')) link = owner
    else if (name === 'page' || name === 'find') link = `/pages/${given.replaceAll('/', '+')}`
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

async function found(list: unknown, query: object, entryOf: (row: Values) => Entry): Promise<Found> {
  const { data, pagination } = await (list as Ask)(query)
  return { entries: (data as Values[]).map(entryOf), total: pagination.total }
}

const fileParts = ['filename', 'id', 'link', 'niceSize', 'panelImage', 'type', 'url', 'uuid']
const pageParts = ['hasChildren', 'id', 'panelImage', 'status', 'title', 'url', 'uuid']

const about = ({ page, language }: Pick<Wanted, 'page' | 'language'>) => ({
  page,
  limit: atOnce,
  ...(language !== undefined && { language }),
})

/** The files of the model; a search covers the whole site. */
export function fileSource(model: string): Source {
  const owner = ownerOf(undefined, model)
  const calls = owner.startsWith('/pages/')
    ? client.pages.files
    : owner === '/site'
      ? client.site.files
      : client.users.files
  const at = owner === '/site' ? {} : { id: idIn(owner) }
  return {
    key: ['files', owner],
    list(wanted) {
      const asked = { ...at, ...about(wanted), select: fileParts }
      return wanted.search === ''
        ? found(calls.list, asked, fileEntry)
        : found(client.site.searchFiles, { ...about(wanted), select: fileParts, q: wanted.search }, foundFile)
    },
  }
}

/** All pages, level by level. */
export function pageSource(language: string | undefined): Source {
  return {
    key: ['pages', language],
    list(wanted) {
      const asked = { ...about(wanted), select: pageParts }
      if (wanted.search !== '') return found(client.site.search, { ...asked, q: wanted.search }, pageEntry)
      return wanted.below === undefined
        ? found(client.site.children.list, asked, pageEntry)
        : found(client.pages.children.list, { ...asked, id: wanted.below }, pageEntry)
    },
  }
}

export function fileEntry(row: Values): Entry {
  const { filename, id, link, niceSize, panelImage, type, url, uuid } = row as Record<string, string>
  return {
    id: id!,
    uuid: uuid ?? null,
    text: filename!,
    filename: filename!,
    info: niceSize ?? '',
    link: link ?? null,
    url: url ?? null,
    image: panelImage as never,
    type: type ?? null,
  }
}

/** Shows the id, because a search may find files of the same name elsewhere. */
const foundFile = (row: Values): Entry => ({ ...fileEntry(row), info: String(row['id']) })

function pageEntry(row: Values): Entry {
  const { id, title, uuid, url, panelImage } = row as Record<string, string>
  return {
    id: id!,
    uuid: uuid ?? null,
    text: title!,
    info: id!,
    link: `/pages/${id!.replaceAll('/', '+')}`,
    url: url ?? null,
    image: panelImage as never,
    hasChildren: row['hasChildren'] === true,
  }
}

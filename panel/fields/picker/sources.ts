import { client } from '../../app/client.ts'
import type { Values } from '../field.ts'

/** Something that was chosen, or can be: the parts of an entry, as the API has them, that the panel needs. */
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
  /** How many were looked at, where there are more. */
  looked?: number | undefined
}

export interface Wanted {
  search: string
  page: number
  language: string | undefined
  /** Pages: those below this one, with `+` for the slashes of its id. */
  below?: string | undefined
}

export const atOnce = 50

/** Where the things are that a field offers. */
export interface Source {
  key: readonly unknown[]
  list: (wanted: Wanted) => Promise<Found>
}

export type PickerType = 'files' | 'pages' | 'users'

// ---- what a field offers

type Ask = (query: object) => Promise<{ data: unknown[]; pagination: { total: number }; looked?: number }>

/** The API knows the query of a field, and lists what it finds. `path` is that of the field, inside of others perhaps. */
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

/** What a query finds is all there is to choose from, but what is below a page leads further down. */
export function isWalked({ query, subpages }: Values): boolean {
  if (subpages === false) return false
  return typeof query !== 'string' || /\.children(?:\.(?:published|listed|unlisted))?\s*$/.test(query)
}

// ---- what has files

/** A link to what a query of a blueprint names: `/pages/a+b`, `/site`. Without one, to the model itself. */
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

// ---- where links lead

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

/** The files of the model; by words those of the whole site. */
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

/** All pages, from the top down. */
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

/** Elsewhere there may be others of the same name. */
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

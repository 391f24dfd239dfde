import { client } from '../../app/client.ts'
import { readWholePage } from '../../app/read-whole.ts'
import type { FileType } from '../../library/filter.ts'
import type { Values } from '../field.ts'

/** An entry that is selected or can be: the properties from the API that the panel uses. */
export interface PickerEntry {
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
  entries: PickerEntry[]
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
export interface PickerSource {
  key: readonly unknown[]
  list: (query: EntriesQuery) => Promise<FoundEntries>
  /** Whose files these are. Undefined if a blueprint decides what is offered. */
  ownerKind?: 'page' | 'site' | 'user' | undefined
}

export type PickerType = 'files' | 'pages' | 'users'

const pagingOf = ({ page, language }: Pick<EntriesQuery, 'page' | 'language'>) => ({
  page,
  limit: pageSize,
  ...(language !== undefined && { language }),
})

// ---- entries of a picker field

/**
 * Entries that the query of the field finds, listed by the API. `path` is the path of a field, which may be nested.
 * `settings` are those that decide which files are offered.
 */
export function fieldSource(model: string, path: string, settings?: Values): PickerSource {
  const owner = resourcePathOf(undefined, model)
  const [, file] = model.split('/files/')
  const filename = file === undefined ? undefined : decodeURIComponent(file)
  const id = idIn(owner)
  const api = owner.startsWith('/pages/') ? client.pages : client.users
  return {
    key: ['field', model, path],
    ownerKind:
      settings && ownFiles.has(settings['query']) && !hasOtherParent(settings['parent'], owner)
        ? ownerKindOf(owner)
        : undefined,
    async list({ search, below, ...paging }) {
      const parts = { ...(search !== '' && { search }), ...(below !== undefined && { parent: below }) }
      const { data, pagination, looked } = await readWholePage(from => {
        const query = { name: path, ...pagingOf(paging), ...parts, ...from }
        if (owner === '/site')
          return filename === undefined ? client.site.field(query) : client.site.fileField({ filename, ...query })
        return filename === undefined ? api.field({ id, ...query }) : api.fileField({ id, filename, ...query })
      })
      // The properties of an entry depend on the blueprint of the field.
      return { entries: data as PickerEntry[], total: pagination.total, looked }
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

// ---- which files a field offers

/**
 * Queries for the files of the model itself, and the type of these files: the default of the API, and those of built-in
 * blocks. Any other query limits the choice to its results.
 */
const ownFiles = new Map<unknown, FileType | undefined>([
  [undefined, undefined],
  ['page.files', undefined],
  ['site.files', undefined],
  ['user.files', undefined],
  ['file.parent.files', undefined],
  ['model.images', 'image'],
  ['model.videos', 'video'],
])

/** The files of the whole site, unless the blueprint limits the choice. */
export const allFilesFor = ({ query }: Values): PickerSource | undefined =>
  ownFiles.has(query) ? allFiles(ownFiles.get(query)) : undefined

/** Whether the setting `parent` names another model than the edited one: a path of the API without its first slash. */
const hasOtherParent = (parent: unknown, owner: string) =>
  typeof parent === 'string' && resourcePathOf(undefined, `/${parent}`) !== owner

// ---- owners of files

const ownerKindOf = (owner: string) => (owner === '/site' ? 'site' : owner.startsWith('/users/') ? 'user' : 'page')

/**
 * The path of the resource that a blueprint query refers to: `/pages/a+b`, `/site`. Without a query, that of the model
 * itself, or of the owner of a file.
 */
export function resourcePathOf(query: unknown, model: string): string {
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

// ---- files and pages

export const fileParts = ['filename', 'id', 'link', 'niceSize', 'panelImage', 'type', 'url', 'uuid'] as const
const pageParts = ['hasChildren', 'id', 'panelImage', 'status', 'title', 'url', 'uuid'] as const

const readFiles = (query: NonNullable<Parameters<typeof client.site.library.list>[0]>) =>
  client.site.library.list({ ...query, select: fileParts })

/** Files of all pages, of the site and of accounts, the newest first; of one type if `type` is given. */
export function allFiles(type?: FileType): PickerSource {
  return {
    key: ['allFiles', type],
    async list({ search: q, ...paging }) {
      const filter = { ...(q !== '' && { q }), ...(type && { type }) }
      const { data, pagination } = await readWholePage(from => readFiles({ ...pagingOf(paging), ...from, ...filter }))
      // Shows the id, because files of different pages may have the same name.
      return { entries: data.map(file => ({ ...fileEntry(file), info: file.id })), total: pagination.total }
    },
  }
}

/** The files of the model. */
export function fileSource(model: string): PickerSource {
  const owner = resourcePathOf(undefined, model)
  const id = idIn(owner)
  return {
    key: ['files', owner],
    ownerKind: ownerKindOf(owner),
    async list({ search: q, ...paging }) {
      const { data, pagination } = await readWholePage(from => {
        const parameters = { ...pagingOf(paging), ...from, select: fileParts }
        if (owner === '/site')
          return q === '' ? client.site.files.list(parameters) : client.site.files.search({ ...parameters, q })
        const { files } = owner.startsWith('/pages/') ? client.pages : client.users
        return q === '' ? files.list({ id, ...parameters }) : files.search({ id, ...parameters, q })
      })
      return { entries: data.map(fileEntry), total: pagination.total }
    },
  }
}

export const fileEntry = (file: Awaited<ReturnType<typeof readFiles>>['data'][number]): PickerEntry => ({
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
export function pageSource(language: string | undefined): PickerSource {
  return {
    key: ['pages', language],
    async list({ search, below, ...paging }) {
      const { data, pagination } = await readWholePage(from => {
        const query = { ...pagingOf(paging), ...from, select: pageParts }
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

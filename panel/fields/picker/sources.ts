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
}

export interface Wanted {
  search: string
  page: number
  language: string | undefined
  /** Pages: those below this one. */
  below?: string | undefined
}

export const atOnce = 50

/** Where the things are that a field offers. */
export interface Source {
  key: readonly unknown[]
  list: (wanted: Wanted) => Promise<Found>
  /** Pages can be walked through: a page leads to those below it. */
  below?: string | undefined
}

export type PickerType = 'files' | 'pages' | 'users'

// ---- what the query of a field means

/**
 * The API lists what belongs to one page, the site or an account. The usual queries of blueprints name just that; of all
 * others the part that can be understood is used.
 */
interface Meaning {
  /** A link to the owner: `/pages/a+b`, `/site`. */
  owner: string
  /** Of files: images, videos … */
  type?: string
  /** Of pages: in the whole site. */
  whole?: boolean
  role?: string
}

const fileTypes: Readonly<Record<string, string>> = {
  images: 'image', documents: 'document', videos: 'video', audio: 'audio', code: 'code', archives: 'archive',
} // prettier-ignore

export function meaningOf(query: unknown, model: string): Meaning {
  const owner = model.replace(/\/files\/[^/]+$/, '')
  const chain = typeof query === 'string' ? query.trim() : ''
  const steps = [...chain.matchAll(/(\w+)(?:\(\s*["']?([^"')]*)["']?\s*\))?/g)].map(([, name = '', given = '']) => ({
    name,
    given,
  }))
  const meaning: Meaning = { owner: steps.length === 0 ? owner : '/site' }
  for (const { name, given } of steps) {
    if (name === 'model' || (name === 'page' && given === '') || (name === 'user' && given === ''))
      meaning.owner = owner
    else if ((name === 'page' || name === 'find') && given !== '')
      meaning.owner = `/pages/${given.replaceAll('/', '+')}`
    else if (name === 'parent' || name === 'siblings') meaning.owner = parentOf(meaning.owner)
    else if (name === 'index' || name === 'search') meaning.whole = true
    else if (name === 'role') meaning.role = given
    else if (fileTypes[name]) meaning.type = fileTypes[name]
    else if (name === 'filterBy' && /type/.test(chain))
      meaning.type ??= /["'](image|video|audio|document|code|archive)["']/.exec(chain)?.[1] ?? ''
  }
  if (meaning.type === '') delete meaning.type
  return meaning
}

function parentOf(link: string): string {
  const above = link.split('+').slice(0, -1).join('+')
  return above === '' ? '/site' : above
}

export const idIn = (link: string): string => link.replace(/^\/(?:pages|users)\//, '')

// ---- lists

type List = (query: object) => Promise<{ data: unknown[]; pagination: { total: number } }>

async function found(list: unknown, query: object, entryOf: (row: Values) => Entry): Promise<Found> {
  const { data, pagination } = await (list as List)(query)
  return { entries: (data as Values[]).map(entryOf), total: pagination.total }
}

const fileParts = ['filename', 'id', 'link', 'niceSize', 'panelImage', 'type', 'url', 'uuid']
const pageParts = ['hasChildren', 'id', 'panelImage', 'status', 'title', 'url', 'uuid']
const userParts = ['avatar', 'email', 'id', 'role', 'username', 'uuid']

const about = ({ page, language }: Wanted) => ({ page, limit: atOnce, ...(language !== undefined && { language }) })

export function fileSource(query: unknown, model: string): Source {
  const { owner, type } = meaningOf(query, model)
  const calls = owner.startsWith('/pages/')
    ? client.pages.files
    : owner.startsWith('/users/')
      ? client.users.files
      : client.site.files
  const at = owner === '/site' ? {} : { id: idIn(owner) }
  return {
    key: ['files', owner, type],
    async list(wanted) {
      const asked = { ...at, ...about(wanted), select: fileParts }
      const all =
        wanted.search === ''
          ? await found(calls.list, asked, fileEntry)
          : await found(calls.search, { ...asked, q: wanted.search }, fileEntry)
      return type === undefined ? all : { ...all, entries: all.entries.filter(entry => entry.type === type) }
    },
  }
}

export function pageSource(query: unknown, model: string, language: string | undefined): Source {
  const { owner, whole } = meaningOf(query ?? 'site', model)
  const start = owner.startsWith('/pages/') ? idIn(owner) : undefined
  return {
    key: ['pages', owner, whole, language],
    below: whole ? undefined : (start ?? ''),
    list(wanted) {
      const asked = { ...about(wanted), select: pageParts }
      if (wanted.search !== '') return found(client.site.search, { ...asked, q: wanted.search }, pageEntry)
      const id = wanted.below || start
      if (whole && wanted.below === undefined) return found(client.site.search, { ...asked, q: '' }, pageEntry)
      return id
        ? found(client.pages.children.list, { ...asked, id }, pageEntry)
        : found(client.site.children.list, asked, pageEntry)
    },
  }
}

export function userSource(query: unknown, model: string): Source {
  const { role } = meaningOf(query, model)
  return {
    key: ['users', role],
    async list(wanted) {
      const { language: _, ...asked } = { ...about(wanted), select: userParts }
      const all =
        wanted.search === ''
          ? await found(client.users.list, asked, userEntry)
          : await found(client.users.search, { ...asked, q: wanted.search }, userEntry)
      return role === undefined ? all : { ...all, entries: all.entries.filter(entry => entry['role'] === role) }
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

function userEntry(row: Values): Entry {
  const { id, email, username, uuid, avatar, role } = row as Record<string, string>
  return {
    id: id!,
    uuid: uuid ?? null,
    text: username!,
    info: username === email ? '' : email!,
    email: email!,
    username,
    link: `/users/${id}`,
    url: ((avatar as unknown as Values | null)?.['url'] as string | undefined) ?? null,
    role: (role as unknown as Values | null)?.['name'],
  }
}

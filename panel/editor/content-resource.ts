import { client } from '../app/client.ts'
import { createId } from '../fields/id.ts'
import type { Wrongs } from '../fields/wrong.ts'

export type Content = Readonly<Record<string, unknown>>

export interface Person {
  id?: string
  email?: string
  username: string
}

/** The draft of a resource, as the server has it. */
export interface SavedDraft {
  content: Content
  fields: string[]
  conflicts: string[]
  /** The published values on which the draft is based. */
  base: Content
  /** Validation errors that prevent publishing. */
  errors: Wrongs
  user: Person | null
  modified: string | null
  /** 0 without a draft. */
  draftRevision: number
  isLocked: boolean
  /** Drafts in other languages. */
  others: { language: string; fields: string[]; user: Person | null; modified: string }[]
}

/** The draft revision that this window knows. The server refuses to overwrite another one. */
export interface Seen {
  draftRevision?: number | undefined
}

export interface Version {
  id: number
  time: string
  /**
   * `version`: published content; `draft`: a draft that was overwritten; `event`: a change other than of content, such
   * as of the slug.
   */
  kind: 'version' | 'draft' | 'event'
  action: string
  language: string | null
  revision: number
  user: Person | null
  fields: string[]
  detail: { before?: string; after?: string; at?: string } | null
}

export interface WholeVersion extends Version {
  content: Content
  changes: Record<string, { before: unknown; after: unknown }>
}

export interface Pagination {
  page: number
  total: number
  offset: number
  limit: number
}

export interface Asked {
  page?: number
  searchterm?: string
}

/** A section as returned by the API. Its other properties depend on its type. */
export interface ShownSection {
  name: string
  type: string
  [part: string]: unknown
}

/** A resource with content that is edited in a form: a page, the site, a file or an account. */
export interface ContentResource {
  /** Unique among all resources and languages. */
  key: string
  /** Its path in the panel: `/pages/notes+first`, `/site`. */
  link: string
  language: string | undefined
  changes: {
    get: () => Promise<SavedDraft>
    save: (content: Content, seen: Seen) => Promise<Pick<SavedDraft, 'errors' | 'draftRevision'>>
    publish: (content: Content, seen: Seen) => Promise<unknown>
    discard: (seen: Seen) => Promise<unknown>
    unlock: () => Promise<unknown>
  }
  history: {
    list: (page: number) => Promise<{ data: Version[]; pagination: Pagination }>
    get: (version: number, compare: 'previous' | 'current') => Promise<WholeVersion>
    /** Makes this version the draft. */
    restore: (version: number, seen: Seen) => Promise<unknown>
    /** Number of published versions in a language; 0 if it is not translated. */
    count: (language: string) => Promise<number>
  }
  section: (name: string, asked: Asked) => Promise<ShownSection>
  /** The published content in another language. */
  origin: (language: string | undefined) => Promise<Content>
}

/**
 * Lets the server recognise that another window overwrites a draft; it then saves the overwritten one in the history.
 */
const windowId = createId()

type Call = (url: object, body?: object) => Promise<never>

interface Calls {
  changes: Record<'get' | 'save' | 'publish' | 'discard' | 'unlock', Call>
  history: Record<'list' | 'get' | 'restore', Call>
  section: Call
  get: Call
}

/** Pages, files, accounts and the site have the same endpoints; only the path parameters differ. */
function thingOf(link: string, calls: Calls, named: object, language: string | undefined): ContentResource {
  const { changes, history, section, get } = calls
  const at = { ...named, language }
  const draft = ({ draftRevision }: Seen) => ({ ...at, draftRevision, window: windowId })
  return {
    key: `${link} ${language ?? ''}`,
    link,
    language,
    changes: {
      get: () => changes.get(at),
      save: (content, seen) => changes.save(draft(seen), content),
      publish: (content, seen) => changes.publish(draft(seen), content),
      discard: seen => changes.discard(draft(seen)),
      unlock: () => changes.unlock({ ...at, window: windowId }),
    },
    history: {
      list: page => history.list({ ...at, page, limit: 30 }),
      get: (version, compare) => history.get({ ...at, version: String(version), compare }),
      restore: (version, seen) => history.restore({ ...draft(seen), version: String(version) }),
      count: async of =>
        ((await history.list({ ...at, language: of, kind: 'version', limit: 1 })) as { pagination: Pagination })
          .pagination.total,
    },
    section: (name, asked) => section({ ...at, name, ...asked }),
    origin: async of => ((await get({ ...at, language: of, select: ['content'] })) as { content: Content }).content,
  }
}

const callsOf = (noun: unknown) => noun as Calls

export const pageThing = (id: string, language: string | undefined) =>
  thingOf(`/pages/${id}`, callsOf(client.pages), { id }, language)

export const siteThing = (language: string | undefined) => thingOf('/site', callsOf(client.site), {}, language)

export const userThing = (id: string, language: string | undefined) =>
  thingOf(`/users/${id}`, callsOf(client.users), { id }, language)

/** A file of a page, of the site or of an account. */
export function fileThing(
  parent: { kind: 'pages' | 'users'; id: string } | { kind: 'site' },
  filename: string,
  language: string | undefined,
): ContentResource {
  const noun = client[parent.kind]
  const { changes, history, get } = noun.files
  const calls = { changes, history, get, section: noun.fileSection }
  const named = parent.kind === 'site' ? { filename } : { id: parent.id, filename }
  const above = parent.kind === 'site' ? '/site' : `/${parent.kind}/${parent.id}`
  return thingOf(`${above}/files/${filename}`, callsOf(calls), named, language)
}

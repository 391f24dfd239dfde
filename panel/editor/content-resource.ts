import { client } from '../app/client.ts'
import { type NextOffset, readSection, readWholePage } from '../app/read-whole.ts'
import { createId } from '../fields/id.ts'

export type Content = Readonly<Record<string, unknown>>

// All resources have the same endpoints, so the types of those of pages hold for all of them.
type AnswerOf<Method extends (...input: never) => Promise<unknown>> = Awaited<ReturnType<Method>>
type Versions = AnswerOf<typeof client.pages.history.list>
export type Version = Versions['data'][number]
type WholeVersion = AnswerOf<typeof client.pages.history.get>
export type Pagination = Versions['pagination']
/** The draft of a resource, as the server has it. */
export type SavedDraft = AnswerOf<typeof client.pages.changes.get>
export type DraftAuthor = NonNullable<SavedDraft['user']>

/** The draft revision that this window knows. The server refuses to overwrite another one. */
export interface SeenRevision {
  draftRevision?: number | undefined
}

export interface SectionQuery extends Pick<
  Parameters<typeof client.pages.section>[0],
  'page' | 'searchterm' | 'status' | 'template' | 'state'
> {}

/** A section as returned by the API: `type` tells what it has. */
export type ShownSection = AnswerOf<typeof client.pages.section>
export type SectionType = ShownSection['type']
export type SectionOf<Type extends SectionType> = Extract<ShownSection, { type: Type }>

/** A resource with content that is edited in a form: a page, the site, a file or an account. */
export interface ContentResource {
  /** Unique among all resources and languages. */
  key: string
  /** Its path in the panel: `/pages/notes+first`, `/site`. */
  link: string
  language: string | undefined
  changes: {
    get: () => Promise<SavedDraft>
    save: (content: Content, seen: SeenRevision) => Promise<Pick<SavedDraft, 'errors' | 'draftRevision'>>
    publish: (content: Content, seen: SeenRevision) => Promise<unknown>
    discard: (seen: SeenRevision) => Promise<unknown>
    unlock: () => Promise<unknown>
  }
  history: {
    list: (page: number) => Promise<Pick<Versions, 'data' | 'pagination'>>
    get: (version: number, compare: 'previous' | 'current') => Promise<WholeVersion>
    /** Makes this version the draft. */
    restore: (version: number, seen: SeenRevision) => Promise<unknown>
    /** Number of published versions in a language; 0 if it is not translated. */
    count: (language: string) => Promise<number>
  }
  section: (name: string, query: SectionQuery) => Promise<ShownSection>
  /** The published content in another language. */
  origin: (language: string | undefined) => Promise<Content>
}

/**
 * Lets the server recognise that another window overwrites a draft; it then saves the overwritten one in the history.
 */
const windowId = createId()

interface Read {
  language: string | undefined
}

interface Write extends Read, SeenRevision {
  window: string
}

/** The endpoints of a resource. `Named` are the path parameters. */
interface Calls<Named> {
  changes: {
    get: (url: Named & Read) => Promise<SavedDraft>
    save: (url: Named & Write, content: Content) => Promise<Pick<SavedDraft, 'errors' | 'draftRevision'>>
    publish: (url: Named & Write, content: Content) => Promise<unknown>
    discard: (url: Named & Write) => Promise<unknown>
    unlock: (url: Named & Omit<Write, 'draftRevision'>) => Promise<unknown>
  }
  history: {
    list: (
      url: Named & Read & { page?: number; limit: number; kind?: Version['kind']; next?: number },
    ) => Promise<Versions>
    get: (url: Named & Read & { version: string; compare: string }) => Promise<WholeVersion>
    restore: (url: Named & Write & { version: string }) => Promise<unknown>
  }
  section: (url: Named & Read & SectionQuery & NextOffset & { name: string; states: 'true' }) => Promise<ShownSection>
}

function resourceOf<Named extends object>(
  link: string,
  { changes, history, section }: Calls<Named>,
  named: Named,
  language: string | undefined,
  origin: ContentResource['origin'],
): ContentResource {
  const address = { ...named, language }
  const draftParameters = ({ draftRevision }: SeenRevision) => ({ ...address, draftRevision, window: windowId })
  return {
    key: `${link} ${language ?? ''}`,
    link,
    language,
    changes: {
      get: () => changes.get(address),
      save: (content, seen) => changes.save(draftParameters(seen), content),
      publish: (content, seen) => changes.publish(draftParameters(seen), content),
      discard: seen => changes.discard(draftParameters(seen)),
      unlock: () => changes.unlock({ ...address, window: windowId }),
    },
    history: {
      list: page => readWholePage(from => history.list({ ...address, page, limit: 30, ...from })),
      get: (version, compare) => history.get({ ...address, version: String(version), compare }),
      restore: (version, seen) => history.restore({ ...draftParameters(seen), version: String(version) }),
      count: async other =>
        (await history.list({ ...address, language: other, kind: 'version', limit: 1 })).pagination.total,
    },
    section: (name, query) => readSection(from => section({ ...address, name, states: 'true', ...query, ...from })),
    origin,
  }
}

const select = ['content'] as const

export const pageResource = (id: string, language: string | undefined) =>
  resourceOf(
    `/pages/${id}`,
    client.pages,
    { id },
    language,
    async other => (await client.pages.get({ id, language: other, select })).content,
  )

export const siteResource = (language: string | undefined) =>
  resourceOf(
    '/site',
    client.site,
    {},
    language,
    async other => (await client.site.get({ language: other, select })).content,
  )

export const userResource = (id: string, language: string | undefined) =>
  resourceOf(
    `/users/${id}`,
    client.users,
    { id },
    language,
    async other => (await client.users.get({ id, language: other, select })).content,
  )

/** A file of a page, of the site or of an account. */
export function fileResource(
  parent: { kind: 'pages' | 'users'; id: string } | { kind: 'site' },
  filename: string,
  language: string | undefined,
): ContentResource {
  if (parent.kind === 'site') {
    const { files, fileSection: section } = client.site
    const read = async (other: string | undefined) => (await files.get({ filename, language: other, select })).content
    const { changes, history } = files
    return resourceOf(`/site/files/${filename}`, { changes, history, section }, { filename }, language, read)
  }
  const { id, kind } = parent
  const { files, fileSection: section } = client[kind]
  const { changes, history } = files
  const read = async (other: string | undefined) => {
    const file = { id, filename, language: other, select }
    return (await (kind === 'pages' ? client.pages.files.get(file) : client.users.files.get(file))).content
  }
  return resourceOf(`/${kind}/${id}/files/${filename}`, { changes, history, section }, { id, filename }, language, read)
}

import { queryOptions } from '@tanstack/react-query'
import type { OneFileForm } from '../../client/client.ts'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'

/** The owner of files. `id` is as in URLs: the id of a page has `+` in place of slashes. */
export type FileParent = { kind: 'site' } | { kind: 'page'; id: string } | { kind: 'user'; id: string }

/** The id of a file in paths of the API. */
export const fileIdOf = ({ uuid }: { uuid: string }): string => uuid.slice('file://'.length)

/** Query key of the parent. */
export const keyOf = (parent: FileParent): string => (parent.kind === 'site' ? 'site' : `${parent.kind}/${parent.id}`)

const listFields = [
  'dimensions', 'extension', 'filename', 'mime', 'modified', 'size', 'template', 'thumbs', 'type', 'url', 'uuid',
] as const // prettier-ignore

const fileFields = {
  ...(Object.fromEntries(listFields.map(name => [name, ''])) as Record<(typeof listFields)[number], ''>),
  blueprint: ['name', 'options', 'tabs', 'title'],
  content: '',
  nextWithTemplate: ['filename'],
  options: '',
  prevWithTemplate: ['filename'],
  revision: '',
} as const

const uploadOptions = { select: listFields }

interface ListQuery {
  page: number
  limit: number
  select: typeof listFields
  language?: string
}

interface FileQuery {
  filename: string
  select: typeof fileFields
  language?: string
}

/** The endpoints whose answers are read. TypeScript infers what they answer only where they are called. */
const readsOfPage = (id: string) => ({
  list: (query: ListQuery) => client.pages.files.list({ id, ...query }),
  search: (query: ListQuery & { q: string }) => client.pages.files.search({ id, ...query }),
  get: (query: FileQuery) => client.pages.files.get({ id, ...query }),
  upload: (form: OneFileForm) => client.pages.files.upload({ id }, form, uploadOptions),
  rename: async (filename: string, name: string) =>
    (await client.pages.files.changeName({ id, filename }, { name })).filename,
})

// The three groups of the API declare the same file endpoints, so the answers of those of pages are those of all.
type Reads = ReturnType<typeof readsOfPage>
/** The properties of a file in lists. */
export type FileBrief = Awaited<ReturnType<Reads['list']>>['data'][number]
export type FileModel = Awaited<ReturnType<Reads['get']>>

const readsOfUser = (id: string) => ({
  list: (query: ListQuery) => client.users.files.list({ id, ...query }),
  search: (query: ListQuery & { q: string }) => client.users.files.search({ id, ...query }),
  get: (query: FileQuery) => client.users.files.get({ id, ...query }),
  upload: (form: OneFileForm) => client.users.files.upload({ id }, form, uploadOptions),
  rename: async (filename: string, name: string) =>
    (await client.users.files.changeName({ id, filename }, { name })).filename,
})

const readsOfSite = () => ({
  list: (query: ListQuery) => client.site.files.list(query),
  search: (query: ListQuery & { q: string }) => client.site.files.search(query),
  get: (query: FileQuery) => client.site.files.get(query),
  upload: (form: OneFileForm) => client.site.files.upload(form, uploadOptions),
  rename: async (filename: string, name: string) =>
    (await client.site.files.changeName({ filename }, { name })).filename,
})

/** The other endpoints. `Named` are the path parameters of the owner. */
interface Writes<Named> {
  update: (url: Named & { filename: string }, content: Record<string, unknown>) => Promise<unknown>
  replace: (url: Named & { filename: string }, form: FormData) => Promise<unknown>
  delete: (url: Named & { filename: string }) => Promise<unknown>
  changeTemplate: (url: Named & { filename: string }, body: { template: string }) => Promise<unknown>
}

interface ListOptions {
  page?: number
  limit?: number
  /** Search term; empty for all files. */
  search?: string
  language?: string | undefined
}

/** The file endpoints of a page, the site or an account, which differ only in their paths. */
export function filesOf(parent: FileParent) {
  if (parent.kind === 'site') return filesIn(client.site.files, {}, readsOfSite())
  const { id } = parent
  return parent.kind === 'page'
    ? filesIn(client.pages.files, { id }, readsOfPage(id))
    : filesIn(client.users.files, { id }, readsOfUser(id))
}

function filesIn<Named extends object>(api: Writes<Named>, owner: Named, reads: Reads) {
  return {
    list({ page = 1, limit = 100, search = '', language }: ListOptions = {}) {
      const query = { page, limit, select: listFields, ...(language !== undefined && { language }) }
      const term = search.trim()
      return term === '' ? reads.list(query) : reads.search({ ...query, q: term })
    },
    get: (filename: string, language?: string) =>
      reads.get({ filename, select: fileFields, ...(language !== undefined && { language }) }),
    /** One file per request, so that each can fail, be cancelled and be retried on its own. */
    upload: async (form: OneFileForm) => (await reads.upload(form)).data,
    update: (filename: string, content: Record<string, unknown>) => api.update({ ...owner, filename }, content),
    replace: (filename: string, form: FormData) => api.replace({ ...owner, filename }, form),
    remove: (filename: string) => api.delete({ ...owner, filename }),
    rename: reads.rename,
    changeTemplate: (filename: string, template: string) => api.changeTemplate({ ...owner, filename }, { template }),
  }
}

export const fileQuery = (parent: FileParent, filename: string, language: string | undefined) =>
  queryOptions({
    queryKey: keys.files(keyOf(parent), 'file', filename, language),
    queryFn: () => filesOf(parent).get(filename, language),
  })

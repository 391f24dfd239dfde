import { queryOptions } from '@tanstack/react-query'
import type { OneFileForm } from '../../client/client.ts'
import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { withTabs } from '../editor/blueprint.ts'

/** The owner of files. `id` is as in URLs: the id of a page has `+` in place of slashes. */
export type FileParent = { kind: 'site' } | { kind: 'page'; id: string } | { kind: 'user'; id: string }

/** The id of a file in paths of the API. */
export const idOf = ({ uuid }: { uuid: string }): string => uuid.slice('file://'.length)

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

type Files = ReturnType<typeof filesOf>
/** The properties of a file in lists. */
export type FileBrief = Awaited<ReturnType<Files['list']>>['data'][number]
export type FileModel = Awaited<ReturnType<Files['get']>>

interface ListOptions {
  page?: number
  limit?: number
  /** Search term; empty for all files. */
  search?: string
  language?: string | undefined
}

/** The file endpoints of a page, the site or an account, which differ only in their paths. */
export function filesOf(parent: FileParent) {
  const id = parent.kind === 'site' ? '' : parent.id
  // The three groups of the API declare the same file endpoints; they differ only in `:id`.
  const api = (
    parent.kind === 'site' ? client.site.files : parent.kind === 'page' ? client.pages.files : client.users.files
  ) as typeof client.pages.files
  const at = parent.kind === 'site' ? ({} as { id: string }) : { id }

  return {
    list({ page = 1, limit = 100, search = '', language }: ListOptions = {}) {
      const query = { ...at, page, limit, select: listFields, ...(language !== undefined && { language }) }
      const words = search.trim()
      return words === '' ? api.list(query) : api.search({ ...query, q: words })
    },
    async get(filename: string, language?: string) {
      const file = await api.get({ ...at, filename, select: fileFields, ...(language !== undefined && { language }) })
      return { ...file, blueprint: withTabs(file.blueprint) }
    },
    /** One file per request, so that each can fail, be cancelled and be retried on its own. */
    upload: async (form: OneFileForm) => {
      const options = { select: listFields }
      // The upload endpoint of the site has no path parameters, so its method takes only the form.
      const { data } = await (parent.kind === 'site'
        ? client.site.files.upload(form, options)
        : api.upload(at, form, options))
      return data
    },
    update: (filename: string, content: Record<string, unknown>) => api.update({ ...at, filename }, content),
    replace: (filename: string, form: FormData) => api.replace({ ...at, filename }, form),
    remove: (filename: string) => api.delete({ ...at, filename }),
    rename: async (filename: string, name: string) => {
      const renamed = await api.changeName({ ...at, filename }, { name })
      return renamed.filename
    },
    changeTemplate: (filename: string, template: string) => api.changeTemplate({ ...at, filename }, { template }),
  }
}

export const fileQuery = (parent: FileParent, filename: string, language: string | undefined) =>
  queryOptions({
    queryKey: keys.files(keyOf(parent), 'file', filename, language),
    queryFn: () => filesOf(parent).get(filename, language),
  })

import { queryOptions } from '@tanstack/react-query'
import { client } from '../../app/client.ts'
import { keys } from '../../app/query.ts'
import { readWholePage } from '../../app/read-whole.ts'
import { toId } from '../id.ts'

/** A page in the tree. `acceptedTemplates` are those of pages that can be moved into it; null for all. */
export type TreePage = Awaited<ReturnType<typeof readBatch>>['data'][number]

const fields = [
  'acceptedTemplates', 'hasChildren', 'hasDrafts', 'id', 'isSortable', 'num', 'options', 'state', 'status', 'template', 'title', 'uuid',
] as const // prettier-ignore
/** Number of children that are read at once. More are read on request. */
export const batchSize = 200

export interface TreePages {
  data: TreePage[]
  total: number
}

/** The first `parts` batches of the children of a page; `''` for the top level. */
export const treePagesQuery = (parent: string, language: string | undefined, parts: number) =>
  queryOptions({
    queryKey: keys.children(parent, 'leaves', language, parts),
    queryFn: async (): Promise<TreePages> => {
      const all = await Promise.all(Array.from({ length: parts }, (_, index) => readBatch(parent, language, index + 1)))
      return { data: all.flatMap(({ data }) => data), total: all[0]!.pagination.total }
    },
    placeholderData: (before: TreePages | undefined) => before,
  })

async function readBatch(parent: string, language: string | undefined, page: number) {
  const query = { status: 'all', select: fields, limit: batchSize, page, language }
  return readWholePage(from =>
    parent === ''
      ? client.site.children.list({ ...query, ...from })
      : client.pages.children.list({ id: toId(parent), ...query, ...from }),
  )
}

/** Templates of pages that can be moved to the top level. */
export const topQuery = queryOptions({
  queryKey: [...keys.site, 'accepted'],
  queryFn: async () => (await client.site.get({ select: ['acceptedTemplates'] })).acceptedTemplates,
})

/** Whether pages with a template can be moved there. False while that is unknown (undefined). */
export const acceptsTemplate = (accepted: readonly string[] | null | undefined, template: string): boolean =>
  accepted === null || accepted?.includes(template) === true

export const parentOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '')

/** The ancestors, from the top level: `a/b/c` → `a`, `a/b`. */
export function ancestorPaths(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { type FileParent, keyOf } from '../files/parent.ts'
import { paginatedQuery } from '../system/paginated-list.tsx'

/** A page (by its id in URLs) or a file whose backlinks are read. */
export type UsedTarget = { page: string } | { parent: FileParent; filename: string }

type Use = Awaited<ReturnType<typeof client.pages.uses>>['data'][number]

/** Number of backlinks per request. */
const pageSize = 20

/** Backlinks of a page or file. Any change of content may affect them, so they are fetched again every time. */
export const usesQuery = (used: UsedTarget): ReturnType<typeof paginatedQuery<Use>> => ({
  ...paginatedQuery<Use>(
    'page' in used ? keys.page(used.page, 'uses') : keys.files(keyOf(used.parent), 'uses', used.filename),
    pageSize,
    paging => read(used, paging),
  ),
  staleTime: 0,
})

function read(used: UsedTarget, paging: { page: number; limit: number }) {
  if ('page' in used) return client.pages.uses({ id: used.page, ...paging })
  const { parent, filename } = used
  if (parent.kind === 'site') return client.site.fileUses({ filename, ...paging })
  const files = parent.kind === 'page' ? client.pages : client.users
  return files.fileUses({ id: parent.id, filename, ...paging })
}

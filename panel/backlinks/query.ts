import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { type FileParent, keyOf } from '../files/parent.ts'
import { paginatedQuery } from '../system/paginated-list.tsx'

/** A page (by its id in URLs) or a file whose backlinks are read. */
export type BacklinkTarget = { page: string } | { parent: FileParent; filename: string }

type Backlink = Awaited<ReturnType<typeof client.pages.uses>>['data'][number]

/** Number of backlinks per request. */
const pageSize = 20

/** Backlinks of a page or file. Any change of content may affect them, so they are fetched again every time. */
export const backlinksQuery = (target: BacklinkTarget): ReturnType<typeof paginatedQuery<Backlink>> => ({
  ...paginatedQuery<Backlink>(
    'page' in target
      ? keys.page(target.page, 'backlinks')
      : keys.files(keyOf(target.parent), 'backlinks', target.filename),
    pageSize,
    paging => readBacklinks(target, paging),
  ),
  staleTime: 0,
})

function readBacklinks(target: BacklinkTarget, paging: { page: number; limit: number }) {
  if ('page' in target) return client.pages.uses({ id: target.page, ...paging })
  const { parent, filename } = target
  if (parent.kind === 'site') return client.site.fileUses({ filename, ...paging })
  const files = parent.kind === 'page' ? client.pages : client.users
  return files.fileUses({ id: parent.id, filename, ...paging })
}

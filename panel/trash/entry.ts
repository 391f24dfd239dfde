import { client } from '../app/client.ts'
import { queryClient } from '../app/query.ts'
import { paginatedQuery } from '../system/paginated-list.tsx'

export type TrashKind = 'page' | 'file' | 'user'

const select = [
  'expires', 'files', 'id', 'kind', 'options', 'pages', 'path', 'time', 'title', 'user', 'uuid',
] as const // prettier-ignore

const readTrash = (paging: { page: number; limit: number }, kind: TrashKind | null) =>
  client.site.trash.list({ ...paging, select, ...(kind !== null && { kind }) })

/** A deleted page, file or account that can be restored. */
export type TrashEntry = Awaited<ReturnType<typeof readTrash>>['data'][number]

const pageSize = 50

export const trashQuery = (kind: TrashKind | null) =>
  paginatedQuery(['trash', kind], pageSize, paging => readTrash(paging, kind))

export interface RestoreOptions {
  parent?: string | null
  slug?: string
  name?: string
  email?: string
}

/** Restores an entry. Invalidates all queries, because any of them may show it again. */
export async function restore(id: string, options: RestoreOptions = {}) {
  const restored = await client.site.trash.restore({ id }, options)
  await queryClient.invalidateQueries()
  return restored
}

/** Errors that another parent, slug, name or e-mail address can solve. */
export const isResolvable = (key: string | null) =>
  key !== null && /^error\.(trash\.parent|(page|page\.draft|file|user)\.duplicate)$/.test(key)

import { client } from '../app/client.ts'
import { queryClient } from '../app/query.ts'
import { inParts } from '../system/parts.tsx'

export type Kind = 'page' | 'file' | 'user'

/** A deleted page, file or account that can be restored. */
export interface Entry {
  id: string
  kind: Kind
  title: string
  /** Its former path. */
  path: string
  uuid: string
  pages: number
  files: number
  time: string
  expires: string
  user: { id?: string; username: string } | null
  options: { restore: boolean; delete: boolean }
}

const atOnce = 50

export const trashQuery = (kind: Kind | null) =>
  inParts<Entry>(['trash', kind], atOnce, paging =>
    client.site.trash.list({ ...paging, ...(kind !== null && { kind }) }),
  )

export interface Wishes {
  parent?: string | null
  slug?: string
  name?: string
  email?: string
}

/** Restores an entry. Invalidates all queries, because any of them may show it again. */
export async function restore(id: string, wishes: Wishes = {}) {
  const restored = await client.site.trash.restore({ id }, wishes)
  await queryClient.invalidateQueries()
  return restored
}

/** Errors that another parent, slug, name or e-mail address can solve. */
export const isAsked = (key: string | null) =>
  key !== null && /^error\.(trash\.parent|(page|page\.draft|file|user)\.duplicate)$/.test(key)

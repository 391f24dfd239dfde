import { client } from '../app/client.ts'
import { keys } from '../app/query.ts'
import { type FileParent, keyOf } from '../files/parent.ts'
import { inParts } from '../system/parts.tsx'

/** What may be used: a page by its id in addresses, or a file. */
export type Used = { page: string } | { parent: FileParent; filename: string }

type Use = Awaited<ReturnType<typeof client.pages.uses>>['data'][number]

/** So many are read at once. */
const atOnce = 20

/** What refers to it. Everything that is written anywhere may change it: it is asked for each time. */
export const usesQuery = (used: Used): ReturnType<typeof inParts<Use>> => ({
  ...inParts<Use>(
    'page' in used ? keys.page(used.page, 'uses') : keys.files(keyOf(used.parent), 'uses', used.filename),
    atOnce,
    paging => read(used, paging),
  ),
  staleTime: 0,
})

function read(used: Used, paging: { page: number; limit: number }) {
  if ('page' in used) return client.pages.uses({ id: used.page, ...paging })
  const { parent, filename } = used
  if (parent.kind === 'site') return client.site.fileUses({ filename, ...paging })
  const files = parent.kind === 'page' ? client.pages : client.users
  return files.fileUses({ id: parent.id, filename, ...paging })
}

import { visibleAccounts } from '../../../access/authorize/accounts.ts'
import type { Status } from '../../../blueprints/blueprints.ts'
import { type FileRow, selectByUuid } from '../../files/queries.ts'
import { listableFileTemplates } from '../../../access/authorize/files.ts'
import type { FileModel, FileParent } from '../../files/target.ts'
import type { RequestContext } from '../../../http/context.ts'
import type { Slices } from '../../../http/list.ts'
import { paginate, type Paging } from '../../../http/paging.ts'
import { ranked } from '../../pages/search/search.ts'
import { listableTemplates } from '../../../access/authorize/pages.ts'
import { parseQuery } from '../../../platform/search/words.ts'
import { contextForFileParent, canViewSite } from '../../../access/authorize/authorize.ts'
import { withParents } from './parents.ts'
import { selectFileHits, type VisibleFiles } from './queries.ts'

/** Limit of ranked hits per word, and of results in total: further matches are not counted or shown. */
const maxFound = 1000

/** The files that the caller may list: of pages that may be listed, of the site and of accounts. */
export function listedFiles(ctx: RequestContext, statuses?: readonly Status[]): VisibleFiles {
  return {
    files: listableFileTemplates(ctx),
    pages: { ...listableTemplates(ctx), ...(statuses && { statuses }) },
    users: visibleAccounts(ctx),
    site: canViewSite(ctx),
  }
}

/** The uuids of files with these words; those with a matching name come first. */
export async function findFileUuids(ctx: RequestContext, q: string, visible: VisibleFiles): Promise<string[]> {
  const searchQuery = parseQuery(q)
  if (!searchQuery) return []
  const hits = await selectFileHits(ctx.app.store, searchQuery, visible, await ctx.language(), maxFound)
  return ranked(hits).slice(0, maxFound)
}

/** The files in the order of their uuids, with the parents that views show. */
export async function withShownParents(
  ctx: RequestContext,
  uuids: readonly string[],
  rows: readonly FileRow[],
): Promise<FileModel<FileParent>[]> {
  const models = await withParents(ctx, rows)
  const byUuid = new Map(models.map(({ file, parent }) => [file.uuid, { file, parent: { ...parent, model: parent } }]))
  return uuids.flatMap(uuid => byUuid.get(uuid) ?? [])
}

/** Finds visible files of listable pages, of the site and of accounts; those with a matching name come first. */
export async function findFiles(
  caller: RequestContext,
  { q, statuses, ...paging }: Paging & { q: string; statuses: readonly Status[] },
): Promise<Slices<FileModel<FileParent>>> {
  const ctx = contextForFileParent(caller)
  const found = await findFileUuids(ctx, q, listedFiles(ctx, statuses))
  const pagination = paginate(found.length, paging)
  return {
    pagination,
    async read({ offset, limit }) {
      const slice = found.slice(offset, offset + limit)
      return withShownParents(ctx, slice, await selectByUuid(ctx.app.store, slice))
    },
  }
}

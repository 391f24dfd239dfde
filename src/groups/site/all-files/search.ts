import { visibleAccounts } from '../../../access/authorize/accounts.ts'
import type { Status } from '../../../blueprints/blueprints.ts'
import { selectByUuid } from '../../files/queries.ts'
import { listableTemplates as listableFiles } from '../../files/listing/listing.ts'
import type { FileModel, FileParent } from '../../files/target.ts'
import type { RequestContext } from '../../../http/context.ts'
import type { Slices } from '../../../http/list.ts'
import { paginate, type Paging } from '../../../http/paging.ts'
import { ranked } from '../../pages/search/search.ts'
import { listableTemplates } from '../../../access/authorize/pages.ts'
import { parseQuery } from '../../../platform/search/words.ts'
import { contextForFileParent, seesSite } from '../../../access/authorize/authorize.ts'
import { withParents } from './parents.ts'
import { selectFileHits } from './queries.ts'

/** Limit of ranked hits per word, and of results in total: further matches are not counted or shown. */
const maxFound = 1000

/** Finds visible files of listable pages, of the site and of accounts; those with a matching name come first. */
export async function findFiles(
  caller: RequestContext,
  { q, statuses, ...paging }: Paging & { q: string; statuses: readonly Status[] },
): Promise<Slices<FileModel<FileParent>>> {
  const ctx = contextForFileParent(caller)
  const { app } = ctx
  const searchQuery = parseQuery(q)
  const visible = {
    files: listableFiles(ctx),
    pages: { ...listableTemplates(ctx), statuses },
    users: visibleAccounts(ctx),
    site: seesSite(ctx),
  }
  const hits = searchQuery ? await selectFileHits(app.store, searchQuery, visible, await ctx.language(), maxFound) : []
  const found = ranked(hits).slice(0, maxFound)
  const pagination = paginate(found.length, paging)
  return {
    pagination,
    async read({ offset, limit }) {
      const slice = found.slice(offset, offset + limit)
      const models = await withParents(ctx, await selectByUuid(app.store, slice))
      const byUuid = new Map(
        models.map(({ file, parent }) => [file.uuid, { file, parent: { ...parent, model: parent } }]),
      )
      return slice.flatMap(uuid => byUuid.get(uuid) ?? [])
    },
  }
}

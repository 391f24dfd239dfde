import { canListFile, listableFileTemplates, visibleFileTemplates } from '../../../access/authorize/files.ts'
import type { Paginated } from '../../../http/answer.ts'
import type { RequestContext } from '../../../http/context.ts'
import { showSlices, slicesOf } from '../../../http/list.ts'
import { paginate, type Paging } from '../../../http/paging.ts'
import type { Selection, View } from '../../../http/view.ts'
import type { FileModel, FileParent } from '../target.ts'
import { type NeighbourQuery, countFiles, hasFiles, selectNeighbour, selectSorted } from './queries.ts'

/** One page of the files of a parent that the caller may see, sorted. Only the rows of that page are read. */
export async function listFiles<Model, Shown>(
  ctx: RequestContext,
  view: View<FileModel<Model>, Shown>,
  parent: FileParent<Model>,
  query: Selection & Paging,
): Promise<Paginated<Partial<Shown>>> {
  const { app } = ctx
  const templates = visibleFileTemplates(ctx)
  const pagination = paginate(await countFiles(app.store, parent.owner, templates), query)
  const files = await selectSorted(app.store, parent.owner, templates, pagination)
  return showSlices(slicesOf(pagination, files), slice =>
    Promise.all(slice.map(file => view.show(ctx, { file, parent }, query))),
  )
}

/** Whether the parent has files that the caller may list. */
export async function hasListedFiles(ctx: RequestContext, owner: string): Promise<boolean> {
  return hasFiles(ctx.app.store, owner, listableFileTemplates(ctx))
}

/** The previous or next file that the caller may list. */
export async function neighbourOf<Model>(
  { file, parent }: FileModel<Model>,
  ctx: RequestContext,
  direction: Pick<NeighbourQuery, 'by' | 'step'>,
): Promise<FileModel<Model> | null> {
  if (!canListFile(ctx, file)) return null
  const found = await selectNeighbour(ctx.app.store, file.uuid, { ...direction, templates: listableFileTemplates(ctx) })
  return found ? { file: found, parent } : null
}

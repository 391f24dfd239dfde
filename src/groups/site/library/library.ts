import { contextForFileParent } from '../../../access/authorize/authorize.ts'
import type { RequestContext } from '../../../http/context.ts'
import { sayError } from '../../../http/failure.ts'
import { type Slices, slicesOf } from '../../../http/list.ts'
import { offsetOf, paginate, type Paging } from '../../../http/paging.ts'
import { ApiError, fail } from '../../../platform/errors.ts'
import { translatorFor } from '../../../platform/translations/translations.ts'
import { fileBlueprintOf } from '../../files/blueprint.ts'
import { deleteFile } from '../../files/files.ts'
import { templatesMatching } from '../../../access/authorize/templates.ts'
import { copyFile, type FilePlace, moveFile } from '../../files/move.ts'
import { selectByUuid } from '../../files/queries.ts'
import type { FileModel, FileParent, FileTarget } from '../../files/target.ts'
import { mustBeOnlyAvatar } from '../../users/avatar/avatar.ts'
import { avatarTemplate } from '../../users/avatar/queries.ts'
import { findFileParent, withParents } from '../all-files/parents.ts'
import { findFileUuids, listedFiles, withShownParents } from '../all-files/search.ts'
import { siteOwner } from '../site.ts'
import { type LibraryFilter, selectLibrary } from './queries.ts'

export interface LibraryQuery extends Paging, Pick<LibraryFilter, 'type' | 'used' | 'from' | 'until' | 'hash'> {
  q?: string | undefined
  parent?: string | undefined
  below?: boolean | undefined
  described?: boolean | undefined
  sortBy: string
}

/** Files of pages that the caller may list, of the site and of accounts, in one list. */
export async function listLibrary(
  caller: RequestContext,
  { q, parent, below, described, sortBy, page, limit, next, type, used, from, until, hash }: LibraryQuery,
): Promise<Slices<FileModel<FileParent>>> {
  const ctx = contextForFileParent(caller)
  const { store } = ctx.app
  const filter: LibraryFilter = { type, used, from, until, hash }
  const visible = listedFiles(ctx)
  if (q?.trim()) filter.uuids = await findFileUuids(ctx, q, visible)
  if (parent !== undefined) {
    const { owner, idPrefix } = await findFileParent(caller, parent || siteOwner)
    filter.parent = owner
    if (below && owner.startsWith('page://')) filter.below = idPrefix.slice(0, -1)
  }
  if (described !== undefined) filter.described = { templates: describedTemplates(ctx), is: described }
  const language = await ctx.language()
  const slice = { limit, offset: offsetOf({ page, limit, next }) }
  const { files, total } = await selectLibrary(store, visible, language, { ...filter, ...slice, order: sortBy })
  // Without files there are none, or the offset is beyond the end: then a total of 1 makes `paginate` refuse it.
  const pagination = paginate(total || (slice.offset > 0 ? 1 : 0), { page, limit, next })
  const uuids = files.map(({ uuid }) => uuid)
  return slicesOf(pagination, await withShownParents(ctx, uuids, files))
}

/** Templates of files with a field for the description of images. */
const describedTemplates = ({ app: { blueprints } }: RequestContext) =>
  templatesMatching(blueprints.templates('files'), template => blueprints.file(template).fields.has('alt'))

// ---- several files

/** What became of one file. */
export interface FileResult {
  /** As in the request. */
  uuid: string
  /** Where it is now, or its copy; null if it was refused or deleted. */
  file: { id: string; link: string; uuid: string } | null
  error: { key: string; message: string } | null
}

type Operation = (model: FileModel) => Promise<{ uuid: string; filename: string } | undefined>

/** Moves files to a parent; null is the site. */
export async function moveFiles(ctx: RequestContext, files: readonly string[], parent: string | null) {
  const to = await findFileParent(ctx, parent ?? siteOwner)
  return eachFile(ctx, files, model => moveFile(ctx, model, placeIn(to)), to)
}

export async function copyFiles(ctx: RequestContext, files: readonly string[], parent: string | null) {
  const to = await findFileParent(ctx, parent ?? siteOwner)
  return eachFile(ctx, files, model => copyFile(ctx, model, placeIn(to)), to)
}

export async function deleteFiles(ctx: RequestContext, files: readonly string[]) {
  return eachFile(ctx, files, async ({ file }) => {
    await deleteFile(ctx, file, undefined)
    return undefined
  })
}

export const placeIn = (parent: FileParent): FilePlace => ({
  parent,
  rule: (tx, file) => mustBeOnlyAvatar(tx, parent.owner, file),
})

/** Each file in a transaction of its own: one that is refused does not hold the others. */
async function eachFile(
  ctx: RequestContext,
  files: readonly string[],
  operation: Operation,
  place?: FileParent,
): Promise<FileResult[]> {
  const uris = [...new Set(files)]
  const rows = await selectByUuid(
    ctx.app.store,
    uris.map(uri => uri.slice('file://'.length)),
  )
  const found = await withParents(contextForFileParent(ctx), rows)
  const models = new Map(found.filter(isNoAvatar).map(model => [`file://${model.file.uuid}`, model]))
  const results: FileResult[] = []
  for (const uuid of uris) {
    try {
      const model = models.get(uuid)
      if (!model) throw fail('file.notFound', { filename: uuid })
      const now = await operation(model)
      results.push({ uuid, file: place && now ? shown(place, now) : null, error: null })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      results.push({ uuid, file: null, error: sayError(error, translatorFor(ctx.locale)) })
    }
  }
  return results
}

/** A file of any parent. The profile image of an account is none: it is changed there. */
export async function findAnyFile(ctx: RequestContext, uuid: string): Promise<FileTarget> {
  const { app } = ctx
  const rows = await selectByUuid(app.store, [uuid])
  const model = (await withParents(contextForFileParent(ctx), rows)).find(isNoAvatar)
  if (!model) throw fail('file.notFound', { filename: uuid.slice(0, 200) })
  return { ...model, options: fileBlueprintOf(app, model.file).options }
}

const isNoAvatar = ({ file: { parent, template } }: FileModel) =>
  template !== avatarTemplate || !parent.startsWith('user://')

export const shown = ({ idPrefix, link }: FileParent, { uuid, filename }: { uuid: string; filename: string }) => ({
  id: idPrefix + filename,
  link: `${link}/files/${filename}`,
  uuid: `file://${uuid}`,
})

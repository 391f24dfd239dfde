import type { App } from '../../app.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import { fileBlueprintOf } from '../files/blueprint.ts'
import { type FileRow, selectFile } from '../files/queries.ts'
import { canViewFile } from '../../access/authorize/files.ts'
import { canViewPages } from '../../access/authorize/pages.ts'
import { canViewSite } from '../../access/authorize/authorize.ts'
import { canUseApi } from '../../access/authorize/callers.ts'
import type { Caller, PreviewPass, Reader } from '../../access/actor.ts'
import { findPass, opens } from '../../access/preview/pass.ts'
import { isCurrent } from '../../platform/media/urls.ts'
import { readThumbName, type Size } from '../../platform/media/thumbs.ts'
import { deniesNobody } from '../../blueprints/permissions/permissions.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { identify } from '../../access/session/identify.ts'
import { userTarget } from '../users/target.ts'
import type { MediaPath } from './media-path.ts'
import { selectPathRows } from './queries.ts'

export interface RequestedFile {
  file: FileRow
  /** Set if a thumbnail is requested. */
  size?: Size
  audience: Audience
}

/**
 * Who gets the response: every client; only signed-in callers, although the original is public (thumbnail sizes of the
 * panel); only holders of a preview pass; or only callers who may see the file.
 */
export type Audience = 'public' | 'callers' | 'previewers' | 'restricted'

/** Invisible and missing files both are 404. `pass` is the preview pass in the URL. */
export async function find(
  app: App,
  address: MediaPath,
  exchange: HttpExchange,
  pass: string | undefined,
): Promise<RequestedFile> {
  const parent = await findParent(app, address)
  const requested = await findVersion(app, parent.owner, address)
  if (!requested) throw fail('notFound')
  const { file, size, isConfiguredSize } = requested
  const isPublic = parent.isPublic && deniesNobody(fileBlueprintOf(app, file).options, readOptions)
  // A wrong version may be a guess, and each further thumbnail size costs CPU time: both require a signed-in caller.
  const isExact = isConfiguredSize && isCurrent(app, file, address.version)
  const found = { file, ...(size && { size }) }
  if (isPublic && isExact) return { ...found, audience: 'public' }
  const { caller, pass: sent } = await identify(app, exchange)
  if (caller && (await canView(app, caller, parent, file)))
    return { ...found, audience: !isPublic ? 'restricted' : isConfiguredSize ? 'public' : 'callers' }
  const preview = sent ?? (pass === undefined ? undefined : await findPass(app, pass))
  if (preview && isExact && (await isPreviewed(app, preview, parent, file))) return { ...found, audience: 'previewers' }
  throw fail('notFound')
}

/** The blueprint options that restrict visibility. */
const readOptions = ['access', 'read'] as const

type ReaderContext = { app: App; actor: Reader }

interface Parent {
  /** `page://…`, `site://` or `user://…` */
  owner: string
  isPublic: boolean
  isVisible: (ctx: ReaderContext) => boolean | Promise<boolean>
}

/**
 * Files are as public as their parent: files of drafts and pages below them are not public, files of accounts never
 * are, nor is anything whose blueprint denies access to any role.
 */
async function findParent(app: App, { kind, owner }: MediaPath): Promise<Parent> {
  if (kind === 'site') {
    const isPublic = deniesNobody(app.blueprints.site().options, readOptions)
    return { owner: 'site://', isPublic, isVisible: canViewSite }
  }
  if (kind === 'users') return { owner: `user://${owner}`, isPublic: false, isVisible: ctx => canViewUser(ctx, owner) }
  const rows = await selectPathRows(app.store, owner)
  const page = rows.find(({ path }) => path === owner)
  if (!page) throw fail('notFound')
  const { options } = app.blueprints.page(page.template)
  return {
    owner: `page://${page.uuid}`,
    isPublic: rows.every(({ status }) => status !== 'draft') && deniesNobody(options, readOptions),
    isVisible: ctx => canViewPages(ctx, options),
  }
}

/** The file of this name, or the original of the thumbnail that the name describes. */
async function findVersion(app: App, parent: string, { name, version }: MediaPath) {
  const { store, config } = app
  const file = await selectFile(store, parent, name)
  if (file) return { file, isConfiguredSize: true }
  const thumb = readThumbName(name, config.media.sizes)
  if (!thumb) return undefined
  const files: FileRow[] = []
  for (const filename of thumb.filenames) {
    const original = await selectFile(store, parent, filename)
    if (original) files.push(original)
  }
  const meant = files.find(one => isCurrent(app, one, version)) ?? files[0]
  return meant && { file: meant, size: thumb.size, isConfiguredSize: thumb.isConfigured }
}

async function canView(app: App, caller: Caller, parent: Parent, file: FileRow): Promise<boolean> {
  const ctx = { app, actor: caller }
  return canUseApi(app, caller) && (await parent.isVisible(ctx)) && canViewFile(ctx, file)
}

/** Files of drafts are shown to the holder of a pass as if they were published; files of accounts never are. */
async function isPreviewed(
  app: App,
  pass: PreviewPass,
  { owner, isVisible: isParentVisible }: Parent,
  file: FileRow,
): Promise<boolean> {
  if (owner.startsWith('user://') || !opens(pass, owner)) return false
  const ctx: ReaderContext = { app, actor: { isAnonymous: true, pass } }
  return (await isParentVisible(ctx)) && canViewFile(ctx, file)
}

async function canViewUser(ctx: ReaderContext, id: string): Promise<boolean> {
  try {
    return (await userTarget({ ctx, params: { id } })).user.id === id
  } catch (error) {
    if (error instanceof ApiError && error.key === 'user.notFound') return false
    throw error
  }
}

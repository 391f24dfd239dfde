import { visibleForm, visibleContent } from '../../content/private.ts'
import { z } from 'zod'
import { panelImageSchema } from '../../blueprints/panel-image.ts'
import { blueprintView } from '../../content/blueprint.ts'
import { lockedBy } from '../../content/drafts/draft-lock.ts'
import { readContent } from '../../content/content.ts'
import { formIn } from '../../content/language-form.ts'
import { fileImage, panelImage, type ImageSource } from '../../content/panel-image.ts'
import { readStored } from '../../content/stored.ts'
import type { ActorContext } from '../../access/actor.ts'
import { isFileActionAllowed } from '../../access/authorize/files.ts'
import { passFor } from '../../access/preview/pass.ts'
import type { RequestContext } from '../../http/context.ts'
import { type Builder, type View, viewOf } from '../../http/view.ts'
import { isoTime } from '../../platform/lib/time.ts'
import {
  isResizable,
  nearestOfPanel,
  readSize,
  type Size,
  thumbName,
  thumbWidths,
} from '../../platform/media/thumbs.ts'
import { mediaUrl } from '../../platform/media/urls.ts'
import { catalogue } from '../../blueprints/permissions/permissions.ts'
import { fileBlueprintOf } from './blueprint.ts'
import { columnsAsContent, ownerOfFile } from './files.ts'
import { neighbourOf } from './listing/listing.ts'
import { baseOf } from './names.ts'
import type { FileRow } from './queries.ts'
import { orientationOf, problemWith, templatesFor } from './rules.ts'
import { niceSize } from './size.ts'
import type { FileModel } from './target.ts'
import { isViewable } from './types.ts'
import { namedSchema } from '../../platform/lib/schema-names.ts'

const compact = ['filename', 'id', 'link', 'type', 'url', 'uuid'] as const
const plainForAnonymous = [
  'dimensions', 'extension', 'filename', 'id', 'mime', 'modified', 'name', 'niceSize', 'size', 'template', 'thumbs',
  'type', 'url', 'uuid',
] as const // prettier-ignore
const forAnonymous = [...plainForAnonymous, 'content', 'next', 'parent', 'prev'] as const
const map = z.record(z.string(), z.unknown())

export const dimensionsSchema = namedSchema(
  'Dimensions',
  z.object({
    width: z.int(),
    height: z.int(),
    ratio: z.number(),
    orientation: z.union([z.literal(false), z.enum(['landscape', 'portrait', 'square'])]),
  }),
)

/** The properties that need no further reads. */
const plainFields = (field: Builder<FileModel>) => ({
  dimensions: field.value(dimensionsSchema.nullable(), ({ file }) => dimensionsOf(file)),
  /** For `editable` of `quoin/preview`: whose fields it shows. */
  editable: field.ofPreview(z.string(), ({ file }) => ownerOfFile(file.uuid)),
  dragText: field.value(z.string(), ({ file }) => dragTextOf(file)),
  exists: field.value(z.boolean(), () => true),
  extension: field.value(z.string(), ({ file }) => file.extension),
  filename: field.value(z.string(), ({ file }) => file.filename),
  id: field.value(z.string(), model => idOf(model)),
  link: field.value(z.string(), model => linkOf(model)),
  mime: field.value(z.string(), ({ file }) => file.mime),
  modified: field.value(z.string(), ({ file }) => isoTime(file.modified_at)),
  name: field.value(z.string(), ({ file }) => baseOf(file)),
  niceSize: field.value(z.string(), ({ file }, { locale }) => niceSize(file.size, locale)),
  panelImage: field.value(panelImageSchema.nullable(), (model, ctx) => showImage(model, ctx)),
  panelUrl: field.value(z.string(), model => linkOf(model)),
  size: field.value(z.int(), ({ file }) => file.size),
  template: field.value(z.string().nullable(), ({ file }) => file.template),
  thumbs: field.value(z.record(z.string(), z.string()).nullable(), (model, ctx) => showThumbs(model, ctx)),
  type: field.value(z.string().nullable(), ({ file }) => file.type),
  url: field.value(z.string(), (model, ctx) => urlOf(model, ctx)),
  uuid: field.value(z.string(), ({ file }) => ownerOfFile(file.uuid)),
})

/** The previous or next file of a file that is itself shown as a neighbour. */
const briefFileView = viewOf<FileModel>('BriefFile')(plainFields, { compact, default: compact }, plainForAnonymous)

const defaultView = [
  'content', 'dimensions', 'exists', 'extension', 'filename', 'id', 'link', 'mime', 'modified', 'name',
  ['next', 'compact'], 'niceSize', ['parent', 'compact'], 'options', ['prev', 'compact'], 'size', 'template', 'type',
  'url', 'uuid',
] as const // prettier-ignore

export interface FileViewOptions<Parent, ShownParent, Ancestor, ShownAncestor> {
  /** The name of its schema in the OpenAPI document. */
  name: string
  parent: View<Parent, ShownParent>
  /** The ancestors of a file, topmost first, including the parent, and their view. */
  parents: View<Ancestor, ShownAncestor>
  ancestors: (parent: Parent, ctx: RequestContext) => Ancestor[] | Promise<Ancestor[]>
}

/** The view of files of one kind of parent. */
export function fileViewOf<Parent, ShownParent, Ancestor, ShownAncestor>({
  name,
  parent,
  parents,
  ancestors,
}: FileViewOptions<Parent, ShownParent, Ancestor, ShownAncestor>) {
  const ownFields = (field: Builder<FileModel<Parent>>) => ({
    ...plainFields(field as unknown as Builder<FileModel>),
    content: field.value(map, (model, ctx) => showContent(model, ctx)),
    options: field.value(z.record(z.string(), z.boolean()), (model, ctx) => showOptions(model, ctx)),
    parent: field.one(parent, model => model.parent.model),
  })
  /** A file changes with its parent: events of files name it. */
  const tagsOf = parent.tagsOf && ((model: FileModel<Parent>) => parent.tagsOf!(model.parent.model))
  /** The previous or next file. */
  const neighbourView = viewOf<FileModel<Parent>>(`Related${name}`)(
    field => ({
      ...ownFields(field),
      next: field.maybe(briefFileView, (model, ctx) => neighbourOf(model, ctx, { by: 'name', step: 1 })),
      prev: field.maybe(briefFileView, (model, ctx) => neighbourOf(model, ctx, { by: 'name', step: -1 })),
    }),
    { compact, default: [...defaultView] },
    forAnonymous,
    tagsOf,
  )
  return viewOf<FileModel<Parent>>(name)(
    field => ({
      ...ownFields(field),
      revision: field.extra(z.int(), ({ file }) => file.revision),
      blueprint: field.one(blueprintView, (model, { app }) => ({
        blueprint: fileBlueprintOf(app, model.file),
        link: linkOf(model),
      })),
      next: field.maybe(neighbourView, (model, ctx) => neighbourOf(model, ctx, { by: 'name', step: 1 })),
      nextWithTemplate: field.maybe(neighbourView, (model, ctx) => neighbourOf(model, ctx, { by: 'sort', step: 1 })),
      parents: field.many(parents, 'compact', (model, ctx) => ancestors(model.parent.model, ctx)),
      prev: field.maybe(neighbourView, (model, ctx) => neighbourOf(model, ctx, { by: 'name', step: -1 })),
      prevWithTemplate: field.maybe(neighbourView, (model, ctx) => neighbourOf(model, ctx, { by: 'sort', step: -1 })),
    }),
    {
      compact,
      default: [...defaultView],
      panel: [
        'blueprint', 'content', 'dimensions', 'extension', 'filename', 'id', 'link', 'mime', 'modified', 'name',
        ['nextWithTemplate', 'compact'], 'niceSize', 'options', 'panelImage', ['parent', 'compact'],
        ['parents', ['id', 'slug', 'title']], ['prevWithTemplate', 'compact'], 'template', 'type', 'url', 'uuid',
      ], // prettier-ignore
    },
    [...forAnonymous, 'nextWithTemplate', 'parents', 'prevWithTemplate'],
    tagsOf,
  )
}

// ---- single fields

const idOf = ({ file, parent }: FileModel) => parent.idPrefix + file.filename
const linkOf = ({ file, parent }: FileModel) => `${parent.link}/files/${file.filename}`

export function dimensionsOf({ type, width, height }: Pick<FileRow, 'type' | 'width' | 'height'>) {
  if (type !== 'image') return null
  if (width === null || height === null) return { width: 0, height: 0, ratio: 0, orientation: false as const }
  return { width, height, ratio: height === 0 ? 0 : width / height, orientation: orientationOf(width, height) }
}

/**
 * The tag to insert when a file is dropped into a text: with the file name, or with the uuid in the text of another
 * model.
 */
export function dragTextOf(
  { type, filename, uuid }: Pick<FileRow, 'type' | 'filename' | 'uuid'>,
  isOwn = true,
): string {
  return `(${type === 'image' || type === 'video' ? type : 'file'}: ${isOwn ? filename : ownerOfFile(uuid)})`
}

/** Browsers request files without headers of the front end, so for the holder of a preview pass it is in the URL. */
export function urlOf(model: FileModel, ctx: ActorContext): string {
  return urlNamed(model, model.file.filename, ctx)
}

/** The URL of a thumbnail. */
export function thumbUrl(model: FileModel, ctx: ActorContext, size: Size): string {
  return urlNamed(model, thumbName(model.file.filename, size), ctx)
}

function urlNamed({ file, parent: { place, owner } }: FileModel, filename: string, ctx: ActorContext): string {
  const url = mediaUrl(ctx.app, place, file, filename)
  const pass = passFor(ctx, owner)
  return pass === undefined ? url : `${url}?preview=${pass}`
}

/** The URLs of `tiny` to `huge`, and of each further size in the settings, by its text. */
function showThumbs(model: FileModel, ctx: RequestContext): Record<string, string> | null {
  if (!isResizable(model.file.extension)) return null
  const named = Object.entries(thumbWidths).map(([name, width]): [string, Size] => [name, { width }])
  const texts = new Set(Object.values(thumbWidths).map(width => `${width}x`))
  const further = ctx.app.config.media.sizes
    .filter(text => !texts.has(text))
    .map((text): [string, Size] => [text, readSize(text)])
  return Object.fromEntries([...named, ...further].map(([name, size]) => [name, thumbUrl(model, ctx, size)]))
}

/** The image settings for lists in the panel. */
export function imageOf(model: FileModel, ctx: RequestContext, settings: readonly unknown[] = [], layout?: string) {
  const { file } = model
  const source = imageSourceOf(model, ctx)
  return panelImage(fileImage(file), [...settings, fileBlueprintOf(ctx.app, file).image], { source, layout })
}

/** The file as an image of lists; undefined if browsers cannot show it. */
export function imageSourceOf(model: FileModel, ctx: ActorContext): ImageSource | undefined {
  const { extension } = model.file
  if (!isViewable(extension)) return undefined
  const thumb = isResizable(extension) ? (size: Size) => thumbUrl(model, ctx, nearestOfPanel(size)) : undefined
  return { url: urlOf(model, ctx), thumb }
}

const showImage = (model: FileModel, ctx: RequestContext) => imageOf(model, ctx)

async function showContent({ file }: FileModel, ctx: RequestContext): Promise<Record<string, unknown>> {
  const form = formIn(visibleForm(ctx, fileBlueprintOf(ctx.app, file)), await ctx.language())
  const stored = await readStored(ctx.app.store, ownerOfFile(file.uuid), await ctx.language(), form.fields)
  const content = await readContent(form, visibleContent(ctx, form.fields, stored))
  return { ...(await ctx.pick(ctx, form.fields, content, ownerOfFile(file.uuid))), ...columnsAsContent(file) }
}

/** What the caller may do with this file. */
async function showOptions({ file, parent }: FileModel, ctx: RequestContext): Promise<Record<string, boolean>> {
  const { app } = ctx
  const isLocked = (await lockedBy(ctx, ownerOfFile(file.uuid))) !== undefined
  const blueprint = fileBlueprintOf(app, file)
  const rules: Partial<Record<string, boolean>> = {
    changeTemplate: templatesFor(app, file, parent.form).length > 1,
    replace: problemWith(blueprint, file) === undefined,
  }
  return Object.fromEntries(
    catalogue.files.map(action => {
      const isPossible = !isLocked && rules[action] !== false && (parent.canChange || readOnly.has(action))
      return [action, isPossible && isFileActionAllowed(ctx, action, file)]
    }),
  )
}

const readOnly = new Set(['access', 'list', 'read'])

import { callable, queryText, type QueryValue, withText } from '../../blueprints/query.ts'
import { readStored } from '../../content/stored.ts'
import { fileBlueprintOf } from '../../groups/files/blueprint.ts'
import { ownerOfFile } from '../../groups/files/files.ts'
import { baseOf } from '../../groups/files/names.ts'
import { niceSize } from '../../groups/files/size.ts'
import { type FileModel, type FileParent, filesIn } from '../../groups/files/target.ts'
import { dimensionsOf, urlOf } from '../../groups/files/view.ts'
import { isoTime } from '../../platform/lib/time.ts'
import { fieldValues, findFirst } from './fields.ts'
import { type ModelKind, listValue, modelValue } from './lists.ts'
import type { QueryContext } from './context.ts'

export function fileKind(context: QueryContext): ModelKind<FileModel> {
  return {
    name: 'file',
    value: model => fileValue(context, model),
    accessors: {
      id: model => idOf(model),
      field: (model, name) =>
        Object.hasOwn(columnValues, name) ? columnValues[name as keyof typeof columnValues](model) : undefined,
      texts: ({ file }) => ({ filename: file.filename }),
      weightedFields: ['filename'],
    },
    filters: {
      ...Object.fromEntries(Object.entries(types).map(([name, type]) => [name, isOfType(type)])),
      template: ({ file }, names) => names.length === 0 || names.includes(file.template ?? ''),
    },
  }
}

const types = {
  archives: 'archive',
  audio: 'audio',
  code: 'code',
  documents: 'document',
  images: 'image',
  videos: 'video',
} as const

const isOfType =
  (type: string) =>
  ({ file }: FileModel) =>
    file.type === type

const idOf = ({ file, parent }: FileModel) => parent.idPrefix + file.filename

const columnValues = {
  extension: ({ file }: FileModel) => file.extension,
  filename: ({ file }: FileModel) => file.filename,
  id: idOf,
  mime: ({ file }: FileModel) => file.mime,
  name: ({ file }: FileModel) => baseOf(file),
  size: ({ file }: FileModel) => String(file.size),
  sort: ({ file }: FileModel) => (file.sort === null ? null : String(file.sort)),
  template: ({ file }: FileModel) => file.template,
  type: ({ file }: FileModel) => file.type,
  uuid: ({ file }: FileModel) => ownerOfFile(file.uuid),
}

/** Properties of the file take precedence over fields of the same name. */
async function fileValue(context: QueryContext, model: FileModel): Promise<QueryValue> {
  const { ctx, read } = context.budget
  const { file } = model
  const { fields } = fileBlueprintOf(ctx.app, file)
  const owner = ownerOfFile(file.uuid)
  const stored = await read(`content ${owner}`, async () =>
    readStored(ctx.app.store, owner, await ctx.language(), fields),
  )
  const content = fieldValues(context, fields, stored)
  return {
    ...content,
    ...Object.fromEntries(Object.entries(columnValues).map(([name, valueOf]) => [name, valueOf(model)])),
    content,
    dimensions: dimensionsIn(model),
    height: file.height,
    modified: isoTime(file.modified_at),
    niceSize: niceSize(file.size, ctx.locale),
    parent: callable(() => parentOf(context, file.parent)),
    url: urlOf(model, ctx),
    width: file.width,
  }
}

/** `{{ file.dimensions }}` prints `640 × 480`; `width` and `height` are numbers. */
function dimensionsIn({ file }: FileModel): QueryValue {
  const dimensions = dimensionsOf(file)
  if (!dimensions) return undefined
  return withText({ ...dimensions }, `${dimensions.width} × ${dimensions.height}`)
}

async function parentOf(context: QueryContext, owner: string): Promise<QueryValue> {
  if (owner.startsWith('page://')) return findFirst(context, 'page', [owner])
  return owner.startsWith('user://') ? findFirst(context, 'user', [owner]) : context.site()
}

/** The file methods of a page, the site or an account. */
export function filesOf(
  { budget, kinds }: QueryContext,
  parent: FileParent,
  isOpen = true,
): Record<string, QueryValue> {
  const load = async (): Promise<FileModel[]> => (isOpen ? filesIn(budget.ctx, parent) : [])
  const all = () => budget.read(`files ${parent.owner}`, load)
  const named = callable(async name => {
    const model = (await all()).find(({ file }) => file.name_key === queryText(name).toLowerCase())
    return model && modelValue(kinds.file, model)
  })
  const list = (matches: (model: FileModel) => boolean) =>
    callable(() => listValue(kinds.file, async () => (await all()).filter(matches)))
  return {
    file: named,
    files: list(() => true),
    hasFiles: callable(async () => (await all()).length > 0),
    image: callable(async name => {
      const images = (await all()).filter(({ file }) => file.type === 'image')
      const model =
        name === undefined ? images[0] : images.find(({ file }) => file.name_key === queryText(name).toLowerCase())
      return model && modelValue(kinds.file, model)
    }),
    ...Object.fromEntries(Object.entries(types).map(([name, type]) => [name, list(({ file }) => file.type === type)])),
  }
}

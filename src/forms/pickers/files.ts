import type { Field } from '../../blueprints/fields/field.ts'
import { ownerOfFile } from '../../groups/files/files.ts'
import type { FileModel } from '../../groups/files/target.ts'
import { dragTextOf, urlOf } from '../../groups/files/view.ts'
import type { RequestContext } from '../../http/context.ts'
import { resolveFiles } from '../query/references.ts'
import { imageFor } from './images.ts'
import { textFor } from './texts.ts'
import { batchedPerRequest } from '../query/batch.ts'

const find = batchedPerRequest(resolveFiles)
/** Loaders by owner: a reference that is only a filename depends on the owner. */
const byOwner = new WeakMap<RequestContext, Map<string, typeof find>>()

export function findReferencedFile(
  ctx: RequestContext,
  reference: string,
  owner?: string,
): Promise<FileModel | undefined> {
  if (owner === undefined || reference.includes('/')) return find(ctx, reference)
  const finders = byOwner.get(ctx) ?? new Map<string, typeof find>()
  byOwner.set(ctx, finders)
  let own = finders.get(owner)
  if (!own) finders.set(owner, (own = batchedPerRequest((one, references) => resolveFiles(one, references, owner))))
  return own(ctx, reference)
}

/** What anonymous clients see of a referenced file. */
export function briefFileEntry(ctx: RequestContext, model: FileModel, owner?: string) {
  const { file, parent } = model
  return {
    filename: file.filename,
    id: owner === file.parent ? file.filename : parent.idPrefix + file.filename,
    text: file.filename,
    type: file.type,
    url: urlOf(model, ctx),
    uuid: ownerOfFile(file.uuid),
  }
}

export async function fileEntry(ctx: RequestContext, model: FileModel, field: Field, owner?: string) {
  const { file, parent } = model
  const subject = { kind: 'file', row: model } as const
  const [image, info = '', text = file.filename] = await Promise.all([
    imageFor(ctx, subject, field['image'], String(field['layout'])),
    textFor(ctx, field['info'], subject),
    textFor(ctx, field['text'], subject),
  ])
  return {
    dragText: dragTextOf(file, owner === file.parent),
    filename: file.filename,
    id: owner === file.parent ? file.filename : parent.idPrefix + file.filename,
    image,
    info,
    link: `${parent.link}/files/${file.filename}`,
    sortable: true,
    text,
    type: file.type,
    url: urlOf(model, ctx),
    uuid: ownerOfFile(file.uuid),
  }
}

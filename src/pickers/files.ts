import type { Field } from '../blueprints/fields/field.ts'
import { ownerOf } from '../files/files.ts'
import type { FileModel } from '../files/target.ts'
import { dragTextOf, urlOf } from '../files/view.ts'
import type { Look } from '../http/look.ts'
import { referredFiles } from '../scope/referred.ts'
import { imageFor } from './images.ts'
import { textFor } from './texts.ts'
import { together } from '../scope/together.ts'

const find = together(referredFiles)
/** Only where a name stands alone it matters who refers to it. */
const byOwner = new WeakMap<Look, Map<string, typeof find>>()

export function findFile(look: Look, reference: string, owner?: string): Promise<FileModel | undefined> {
  if (owner === undefined || reference.includes('/')) return find(look, reference)
  const known = byOwner.get(look) ?? new Map<string, typeof find>()
  byOwner.set(look, known)
  let own = known.get(owner)
  if (!own) known.set(owner, (own = together((one, references) => referredFiles(one, references, owner))))
  return own(look, reference)
}

export async function fileEntry(look: Look, model: FileModel, field: Field, owner?: string) {
  const { file, parent } = model
  const subject = { kind: 'file', row: model } as const
  const [image, info = '', text = file.filename] = await Promise.all([
    imageFor(look, subject, field['image'], String(field['layout'])),
    textFor(look, field['info'], subject),
    textFor(look, field['text'], subject),
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
    url: urlOf(model, look),
    uuid: ownerOf(file.uuid),
  }
}

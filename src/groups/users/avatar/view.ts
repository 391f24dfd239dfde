import { z } from 'zod'
import { baseOf } from '../../files/names.ts'
import { niceSize } from '../../files/size.ts'
import type { FileModel } from '../../files/target.ts'
import { isoTime } from '../../../platform/lib/time.ts'
import { dimensionsOf, dimensionsSchema, thumbUrl, urlOf } from '../../files/view.ts'
import type { RequestContext } from '../../../http/context.ts'
import { viewOf } from '../../../http/view.ts'
import { avatarSize, isResizable, thumbName } from '../../../platform/media/thumbs.ts'
import type { User } from '../../../access/actor.ts'
import { userFileParent } from '../files.ts'
import { ownerOfUser } from '../users.ts'
import { selectAvatar } from './queries.ts'

/** The avatar as the API shows it: a square thumbnail where the format can be resized, otherwise the original. */
export const avatarView = viewOf<FileModel>('Avatar')(
  field => ({
    dimensions: field.value(dimensionsSchema.nullable(), showDimensions),
    exists: field.value(z.boolean(), () => true),
    extension: field.value(z.string(), model => extensionOf(model)),
    filename: field.value(z.string(), model => nameOf(model)),
    id: field.value(z.string(), model => model.parent.idPrefix + nameOf(model)),
    mime: field.value(z.string(), ({ file }) => file.mime),
    modified: field.value(z.string(), ({ file }) => isoTime(file.modified_at)),
    name: field.value(z.string(), model => baseOf({ filename: nameOf(model), extension: extensionOf(model) })),
    niceSize: field.value(z.string(), ({ file }, { locale }) => niceSize(file.size, locale)),
    size: field.value(z.int(), ({ file }) => file.size),
    type: field.value(z.string().nullable(), ({ file }) => file.type),
    url: field.value(z.string(), (model, ctx) =>
      isCropped(model) ? thumbUrl(model, ctx, avatarSize) : urlOf(model, ctx),
    ),
  }),
  {
    compact: ['filename', 'id', 'type', 'url'],
    panel: ['dimensions', 'extension', 'filename', 'id', 'mime', 'modified', 'name', 'niceSize', 'type', 'url'],
  },
)

const isCropped = ({ file }: FileModel) => isResizable(file.extension)
const nameOf = (model: FileModel) =>
  isCropped(model) ? thumbName(model.file.filename, avatarSize) : model.file.filename
const extensionOf = (model: FileModel) => nameOf(model).replace(/^.*\./s, '')

/** The thumbnail is square and never larger than the original. */
function showDimensions(model: FileModel) {
  const { file } = model
  if (!isCropped(model)) return dimensionsOf(file)
  const side = Math.min(avatarSize.width, file.width ?? 0, file.height ?? 0)
  return dimensionsOf({ ...file, width: side, height: side })
}

export async function findAvatar(user: User, ctx: RequestContext): Promise<FileModel | null> {
  const file = await selectAvatar(ctx.app.store, ownerOfUser(user.id), ctx.readAt)
  return file ? { file, parent: userFileParent(user, ctx) } : null
}

import type { Field } from '../../blueprints/fields/field.ts'
import type { RequestContext } from '../../http/context.ts'
import { resolveUsers } from '../query/references.ts'
import { ownerOfUser, type UserRow } from '../../groups/users/users.ts'
import { linkOfUser } from '../../groups/users/view.ts'
import { imageFor } from './images.ts'
import { textFor } from './texts.ts'
import { batchedPerRequest } from '../query/batch.ts'

export const findUser = batchedPerRequest(resolveUsers)

export async function userEntry(ctx: RequestContext, user: UserRow, field: Field) {
  const { id, email, name } = user
  const subject = { kind: 'user', row: user } as const
  const [image, info = '', text = name || email] = await Promise.all([
    imageFor(ctx, subject, field['image'], String(field['layout'])),
    textFor(ctx, field['info'], subject),
    textFor(ctx, field['text'], subject),
  ])
  return {
    email,
    id,
    image,
    info,
    link: linkOfUser(user, ctx),
    sortable: true,
    text,
    username: name || email,
    uuid: ownerOfUser(id),
  }
}

import type { Field } from '../blueprints/fields/field.ts'
import type { Look } from '../http/look.ts'
import { referredUsers } from '../scope/referred.ts'
import { ownerOf, type UserRow } from '../users/users.ts'
import { linkOf } from '../users/view.ts'
import { imageFor } from './images.ts'
import { textFor } from './texts.ts'
import { together } from '../scope/together.ts'

export const findUser = together(referredUsers)

export async function userEntry(look: Look, user: UserRow, field: Field) {
  const { id, email, name } = user
  const subject = { kind: 'user', row: user } as const
  const [image, info = '', text = name || email] = await Promise.all([
    imageFor(look, subject, field['image'], String(field['layout'])),
    textFor(look, field['info'], subject),
    textFor(look, field['text'], subject),
  ])
  return {
    email,
    id,
    image,
    info,
    link: linkOf(user, look),
    sortable: true,
    text,
    username: name || email,
    uuid: ownerOf(id),
  }
}

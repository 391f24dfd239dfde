import { parseEmail } from '../lib/email.ts'
import type { Look } from '../http/look.ts'
import { selectReferred } from '../users/queries.ts'
import { visibleTo } from '../users/target.ts'
import { ownerOf, type UserRow } from '../users/users.ts'

/** Whom the caller may not see, and who is gone, is left out. */
export async function pickUsers(look: Look, references: readonly string[]): Promise<Map<string, object>> {
  const found = await findReferred(look, references)
  const entries = references.flatMap((reference): [string, object][] => {
    const user = found.get(keyOf(reference))
    return user ? [[reference, entryOf(look, user)]] : []
  })
  return new Map(entries)
}

async function findReferred({ app, caller }: Look, references: readonly string[]): Promise<Map<string, UserRow>> {
  const keys = [...new Set(references.map(keyOf))]
  const rows = keys.length === 0 ? [] : await selectReferred(app.store, visibleTo(app, caller), keys)
  return new Map(rows.flatMap(row => [row.id, row.email_key].map(key => [key, row] as const)))
}

/** `user://…`, an id or an address. */
function keyOf(reference: string): string {
  const text = reference.replace(/^user:\/\//, '')
  return parseEmail(text)?.key ?? text
}

function entryOf({ caller }: Look, { id, email, name }: UserRow) {
  return {
    email,
    id,
    image: { back: 'black', color: 'gray-500', cover: false, icon: 'user', ratio: '1/1' },
    info: '',
    link: id === caller.user.id ? '/account' : `/users/${id}`,
    sortable: true,
    text: name || email,
    username: name || email,
    uuid: ownerOf(id),
  }
}

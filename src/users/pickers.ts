import type { Look } from '../http/view.ts'
import { parseEmail } from '../lib/email.ts'
import { selectReferred } from './queries.ts'
import { visibleTo } from './target.ts'
import { formOf, ownerOf, type UserRow } from './users.ts'

/** Fields that refer to accounts show them as the panel lists them. Whom the caller may not see, and who is gone, is left out. */
export async function withPicked(look: Look, role: string, content: Record<string, unknown>): Promise<typeof content> {
  const names = [...formOf(look.app, role).fields.values()]
    .filter(({ type }) => type === 'users')
    .map(({ name }) => name)
  if (names.length === 0) return content
  const references = names.flatMap(name => content[name] as string[])
  const found = await findReferred(look, references)
  const shown = names.map(name => [
    name,
    (content[name] as string[]).flatMap(reference => {
      const user = found.get(keyOf(reference))
      return user ? [entryOf(look, user)] : []
    }),
  ])
  return { ...content, ...(Object.fromEntries(shown) as typeof content) }
}

async function findReferred({ app, caller }: Look, references: string[]): Promise<Map<string, UserRow>> {
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

import type { Fields } from '../blueprints/fields/field.ts'
import type { Look } from '../http/look.ts'
import { pickUsers } from './users.ts'

type Find = (look: Look, references: readonly string[]) => Promise<Map<string, object>>

/** By the type of the field, how what it refers to is found: all references of a content at once. */
const finders: Readonly<Partial<Record<string, Find>>> = { users: pickUsers }

/** Fields that refer to others show them as the panel lists them. What the caller may not see, and what is gone, is left out. */
export async function pick(
  look: Look,
  fields: Fields,
  content: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const shown = { ...content }
  for (const [type, find] of Object.entries(finders)) {
    const names = [...fields.values()].filter(field => field.type === type).map(({ name }) => name)
    if (names.length === 0) continue
    const found = await find!(
      look,
      names.flatMap(name => content[name] as string[]),
    )
    for (const name of names) shown[name] = (content[name] as string[]).flatMap(reference => found.get(reference) ?? [])
  }
  return shown
}

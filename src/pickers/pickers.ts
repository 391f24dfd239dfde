import type { Field, Fields } from '../blueprints/fields/field.ts'
import type { Look } from '../http/look.ts'
import { fileEntry, findFile } from './files.ts'
import { hasPickers, type PickerType, replaceReferences } from './nested.ts'
import { findPage, pageEntry } from './pages.ts'
import { findUser, userEntry } from './users.ts'

/** What the reference of a field leads to, as an entry of a list. Undefined if it is gone, or not for the caller to see. */
const entries: Readonly<
  Record<PickerType, (look: Look, field: Field, reference: string, owner?: string) => Promise<object | undefined>>
> = {
  async pages(look, field, reference) {
    const page = await findPage(look, reference)
    return page && pageEntry(look, page, field)
  },
  async files(look, field, reference, owner) {
    const model = await findFile(look, reference, owner)
    return model && fileEntry(look, model, field, owner)
  },
  async users(look, field, reference) {
    const user = await findUser(look, reference)
    return user && userEntry(look, user, field)
  },
}

/** More of them one field, and one content, does not show. */
const most = 1000
const mostInAll = 5000

/**
 * Fields that refer to others show them as the panel lists them. What the caller may not see, and what is gone, is left out.
 * Whatever one answer refers to is found together, so that the number of statements does not grow with it.
 */
export async function pick(
  look: Look,
  fields: Fields,
  content: Record<string, unknown>,
  owner?: string,
): Promise<Record<string, unknown>> {
  if (!hasPickers(fields)) return content
  const waiting: Promise<void>[] = []
  const shown = new Map<object, readonly object[]>()
  let left = mostInAll
  const marked = replaceReferences(fields, content, (type, field, references) => {
    const mark = {}
    const some = references.slice(0, Math.min(most, left))
    left -= some.length
    const found = some.map(reference => entries[type](look, field, reference, owner))
    waiting.push(
      Promise.all(found).then(
        list =>
          void shown.set(
            mark,
            list.filter(entry => entry !== undefined),
          ),
      ),
    )
    return mark
  })
  await Promise.all(waiting)
  return unmarked(marked, shown) as Record<string, unknown>
}

/** With the entries in the places that were kept for them. */
function unmarked(value: unknown, shown: ReadonlyMap<object, readonly object[]>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entry = shown.get(value)
  if (entry) return entry
  if (Array.isArray(value)) return value.map(one => unmarked(one, shown))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, unmarked(one, shown)]))
}

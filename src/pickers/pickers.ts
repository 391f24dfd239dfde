import type { Field, Fields } from '../blueprints/fields/field.ts'
import { hasPickers, type PickerType, replaceReferences } from '../blueprints/fields/references.ts'
import { mostShown } from '../blueprints/fields/visible.ts'
import { ownerOf as ownerOfFile } from '../files/files.ts'
import type { Look } from '../http/look.ts'
import { ownerOf as ownerOfPage } from '../pages/pages.ts'
import { ownerOf as ownerOfUser } from '../users/users.ts'
import { fileEntry, findFile } from './files.ts'
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
  let left = mostShown.inContent
  const marked = replaceReferences(fields, content, (type, field, references) => {
    const mark = {}
    const some = references.slice(0, Math.min(mostShown.inField, left))
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

/** What an entry can be called when it is sent back, the uuid first and the id last; undefined where `pick` shows none. */
const names: Readonly<
  Record<PickerType, (look: Look, reference: string, owner: string) => Promise<string[] | undefined>>
> = {
  async pages(look, reference) {
    const page = await findPage(look, reference)
    return page && [ownerOfPage(page.uuid), page.path]
  },
  async files(look, reference, owner) {
    const model = await findFile(look, reference, owner)
    if (!model) return undefined
    const { file, parent } = model
    const id = parent.idPrefix + file.filename
    return [ownerOfFile(file.uuid), id, ...(owner === file.parent ? [file.filename] : [])]
  },
  async users(look, reference) {
    const user = await findUser(look, reference)
    return user && [ownerOfUser(user.id), user.email, user.id]
  },
}

/** The same things that `pick` shows of these contents, and those that what is sent refers to. */
export const visible: Look['visible'] = async (look, fields, owner, sent, contents) => {
  if (!hasPickers(fields)) return undefined
  const found = new Map<string, Promise<string[] | undefined>>()
  let isComplete = true
  for (const content of await contents()) {
    let left = mostShown.inContent
    replaceReferences(fields, content, (type, _, references) => {
      const some = references.slice(0, Math.min(mostShown.inField, left))
      left -= some.length
      if (left === 0) isComplete = false
      for (const reference of some) {
        const key = `${type} ${reference}`
        if (!found.has(key)) found.set(key, names[type](look, reference, owner))
      }
      return references
    })
  }
  let left = mostShown.inContent
  replaceReferences(fields, sent, (type, _, references) => {
    for (const reference of references) {
      const key = `${type} ${reference}`
      if (!found.has(key) && left-- > 0) found.set(key, names[type](look, reference, owner))
    }
    return references
  })
  const known = new Map(await Promise.all([...found].map(async ([key, one]) => [key, await one] as const)))
  const namesOf = (type: string, reference: string) => known.get(`${type} ${reference}`)
  return {
    isComplete,
    namesOf,
    stored: (type, reference, store) => namesOf(type, reference)?.at(store === 'id' ? -1 : 0),
  }
}

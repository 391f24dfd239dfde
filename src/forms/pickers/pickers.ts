import type { Field, Fields } from '../../blueprints/fields/field.ts'
import { hasPickers, type PickerType, replaceReferences } from '../../blueprints/fields/references.ts'
import { maxShown } from '../../blueprints/fields/visible.ts'
import { ownerOf as ownerOfFile } from '../../groups/files/files.ts'
import type { RequestContext } from '../../http/context.ts'
import { ownerOf as ownerOfPage } from '../../groups/pages/pages.ts'
import { ownerOf as ownerOfUser } from '../../groups/users/users.ts'
import { fileEntry, findFile } from './files.ts'
import { findPage, pageEntry } from './pages.ts'
import { findUser, userEntry } from './users.ts'

/** What the reference of a field leads to, as an entry of a list. Undefined if it is gone, or not for the caller to see. */
const entries: Readonly<
  Record<
    PickerType,
    (ctx: RequestContext, field: Field, reference: string, owner?: string) => Promise<object | undefined>
  >
> = {
  async pages(ctx, field, reference) {
    const page = await findPage(ctx, reference)
    return page && pageEntry(ctx, page, field)
  },
  async files(ctx, field, reference, owner) {
    const model = await findFile(ctx, reference, owner)
    return model && fileEntry(ctx, model, field, owner)
  },
  async users(ctx, field, reference) {
    const user = await findUser(ctx, reference)
    return user && userEntry(ctx, user, field)
  },
}

/**
 * Fields that refer to others show them as the panel lists them. What the caller may not see, and what is gone, is left out.
 * Whatever one answer refers to is found together, so that the number of statements does not grow with it.
 */
export async function pick(
  ctx: RequestContext,
  fields: Fields,
  content: Record<string, unknown>,
  owner?: string,
): Promise<Record<string, unknown>> {
  if (!hasPickers(fields)) return content
  const waiting: Promise<void>[] = []
  const shown = new Map<object, readonly object[]>()
  let left = maxShown.inContent
  const marked = replaceReferences(fields, content, (type, field, references) => {
    const mark = {}
    const some = references.slice(0, Math.min(maxShown.inField, left))
    left -= some.length
    const found = some.map(reference => entries[type](ctx, field, reference, owner))
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
  Record<PickerType, (ctx: RequestContext, reference: string, owner: string) => Promise<string[] | undefined>>
> = {
  async pages(ctx, reference) {
    const page = await findPage(ctx, reference)
    return page && [ownerOfPage(page.uuid), page.path]
  },
  async files(ctx, reference, owner) {
    const model = await findFile(ctx, reference, owner)
    if (!model) return undefined
    const { file, parent } = model
    const id = parent.idPrefix + file.filename
    return [ownerOfFile(file.uuid), id, ...(owner === file.parent ? [file.filename] : [])]
  },
  async users(ctx, reference) {
    const user = await findUser(ctx, reference)
    return user && [ownerOfUser(user.id), user.email, user.id]
  },
}

/** The same things that `pick` shows of these contents, and those that what is sent refers to. */
export const visible: RequestContext['visible'] = async (ctx, fields, owner, sent, contents) => {
  if (!hasPickers(fields)) return undefined
  const found = new Map<string, Promise<string[] | undefined>>()
  let isComplete = true
  for (const content of await contents()) {
    let left = maxShown.inContent
    replaceReferences(fields, content, (type, _, references) => {
      const some = references.slice(0, Math.min(maxShown.inField, left))
      left -= some.length
      if (left === 0) isComplete = false
      for (const reference of some) {
        const key = `${type} ${reference}`
        if (!found.has(key)) found.set(key, names[type](ctx, reference, owner))
      }
      return references
    })
  }
  let left = maxShown.inContent
  replaceReferences(fields, sent, (type, _, references) => {
    for (const reference of references) {
      const key = `${type} ${reference}`
      if (!found.has(key) && left-- > 0) found.set(key, names[type](ctx, reference, owner))
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

import type { Field, Fields } from '../../blueprints/fields/field.ts'
import { hasPickers, type PickerType, replaceReferences } from '../../blueprints/fields/references.ts'
import { maxShown, noneVisible } from '../../blueprints/fields/visible.ts'
import { ownerOfFile } from '../../groups/files/files.ts'
import type { RequestContext } from '../../http/context.ts'
import type { FileModel } from '../../groups/files/target.ts'
import { addTags, tagOfAny, tagOfSite } from '../../http/tags.ts'
import { ownerOfPage } from '../../groups/pages/pages.ts'
import { tagsOfPage } from '../../groups/pages/tags.ts'
import { ownerOfUser } from '../../groups/users/users.ts'
import { briefFileEntry, fileEntry, findReferencedFile } from './files.ts'
import { briefPageEntry, findPage, pageEntry } from './pages.ts'
import { findUser, userEntry } from './users.ts'

/** Resolves a reference to a list entry. Undefined if the target was deleted, or the caller may not see it. */
const entryLoaders: Readonly<
  Record<
    PickerType,
    (ctx: RequestContext, field: Field, reference: string, owner?: string) => Promise<object | undefined>
  >
> = {
  async pages(ctx, field, reference) {
    const page = await findPage(ctx, reference)
    addTags(ctx, () => (page ? tagsOfPage(page) : [tagOfAny]))
    if (page && ctx.actor.isAnonymous) return briefPageEntry(ctx, page)
    return page && pageEntry(ctx, page, field)
  },
  async files(ctx, field, reference, owner) {
    const model = await findReferencedFile(ctx, reference, owner)
    addTags(ctx, () => tagsOfFile(model))
    if (model && ctx.actor.isAnonymous) return briefFileEntry(ctx, model, owner)
    return model && fileEntry(ctx, model, field, owner)
  },
  async users(ctx, field, reference) {
    if (ctx.actor.isAnonymous) return undefined
    const user = await findUser(ctx, reference)
    return user && userEntry(ctx, user, field)
  },
}

/**
 * A target that anonymous clients do not see may become visible by a change of any page above it. Tags of its own would
 * reveal it.
 */
function tagsOfFile(model: FileModel | undefined): string[] {
  if (!model) return [tagOfAny]
  const [kind, uuid = ''] = model.parent.owner.split('://')
  return kind === 'page' ? tagsOfPage({ uuid, path: model.parent.idPrefix.slice(0, -1) }) : [tagOfSite]
}

/**
 * Replaces the references in picker fields with list entries. Leaves out deleted targets, and those that the caller
 * may not see. All references of a response are loaded together, so that the number of statements stays constant.
 */
export async function pick(
  ctx: RequestContext,
  fields: Fields,
  content: Record<string, unknown>,
  owner?: string,
): Promise<Record<string, unknown>> {
  if (!hasPickers(fields)) return content
  const pending: Promise<void>[] = []
  let left = maxShown.inContent
  const picked = replaceReferences(fields, content, (type, field, references) => {
    const limited = references.slice(0, Math.min(maxShown.inField, left))
    left -= limited.length
    const shown: object[] = [] // filled when the targets are loaded
    if (limited.length > 0)
      pending.push(
        Promise.all(limited.map(reference => entryLoaders[type](ctx, field, reference, owner))).then(list => {
          for (const entry of list) if (entry !== undefined) shown.push(entry)
        }),
      )
    return shown
  })
  await Promise.all(pending)
  return picked
}

/** All spellings of a reference, the uuid first and the id last; undefined if `pick` does not show it. */
const spellingLoaders: Readonly<
  Record<PickerType, (ctx: RequestContext, reference: string, owner: string) => Promise<string[] | undefined>>
> = {
  async pages(ctx, reference) {
    const page = await findPage(ctx, reference)
    return page && [ownerOfPage(page.uuid), page.path]
  },
  async files(ctx, reference, owner) {
    const model = await findReferencedFile(ctx, reference, owner)
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

/** The references that `pick` shows for these contents, and those in the sent values. */
export const visible: RequestContext['visible'] = async (ctx, fields, owner, sent, contents) => {
  if (!hasPickers(fields)) return noneVisible
  const found = new Map<string, Promise<string[] | undefined>>()
  let isComplete = true
  for (const content of await contents()) {
    let left = maxShown.inContent
    replaceReferences(fields, content, (type, _, references) => {
      const limited = references.slice(0, Math.min(maxShown.inField, left))
      left -= limited.length
      if (left === 0) isComplete = false
      for (const reference of limited) {
        const key = `${type} ${reference}`
        if (!found.has(key)) found.set(key, spellingLoaders[type](ctx, reference, owner))
      }
      return references
    })
  }
  let left = maxShown.inContent
  replaceReferences(fields, sent, (type, _, references) => {
    for (const reference of references) {
      const key = `${type} ${reference}`
      if (!found.has(key) && left-- > 0) found.set(key, spellingLoaders[type](ctx, reference, owner))
    }
    return references
  })
  const resolved = new Map(await Promise.all([...found].map(async ([key, one]) => [key, await one] as const)))
  const namesOf = (type: string, reference: string) => resolved.get(`${type} ${reference}`)
  return {
    isComplete,
    namesOf,
    stored: (type, reference, store) => namesOf(type, reference)?.at(store === 'id' ? -1 : 0),
  }
}

import type { Fields } from '../../blueprints/fields/field.ts'
import { anyField, isPicker, type PickerType } from '../../blueprints/fields/references.ts'
import type { StoredContent } from '../../content/content.ts'
import { changeReferences } from '../../content/ids/stored-references.ts'
import { decode } from '../../content/queries.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import { parseEmail } from '../../platform/lib/email.ts'
import { ownerOfPage } from '../../groups/pages/pages.ts'
import { indexOwners } from '../../platform/search/search.ts'
import { siteOwner } from '../../groups/site/site.ts'
import type { Store, Tx } from '../../platform/store/store.ts'
import { ownerOfUser } from '../../groups/users/users.ts'
import { updateImportedContent, selectByName, selectByPath, selectExistingContents, selectUserIds } from './queries.ts'

/** Content that may refer to pages, files and accounts by id. */
interface ReferringOwner {
  owner: string
  fields: Fields
  content: StoredContent
}

/** Owners whose content has ids that do not exist yet: the import may create the page later. */
export type Unresolved = Map<string, Fields>

const keepsUuids = anyField(field => isPicker(field) && field['store'] !== 'id')
const isId = (reference: string) => !/^(?:page|file|user):\/\/|^@/.test(reference)

/**
 * In a folder, fields that store uuids may contain ids (`notes/coast`, an e-mail address). Replaces them with uuids
 * where the target exists, so that the reference survives a rename.
 */
export async function resolveIds(
  tx: Tx,
  all: readonly ReferringOwner[],
  unresolved: Unresolved,
): Promise<StoredContent[]> {
  const references = idReferencesIn(all)
  if (references.length === 0) return all.map(({ content }) => content)
  const find = await finderFor(tx, references)
  return all.map(({ owner, fields, content }) => {
    if (!keepsUuids(fields)) return content
    return changeReferences(fields, content, (type, field, reference) => {
      if (field['store'] === 'id' || !isId(reference)) return reference
      const found = find(type, owner, reference)
      if (found === undefined) unresolved.set(owner, fields)
      return found ?? reference
    })
  })
}

/** Resolves the remaining ids at the end of the import. */
export async function resolveLater(store: Store, unresolved: Unresolved): Promise<void> {
  for (const owners of chunks([...unresolved.keys()], 200))
    await store.write(async tx => {
      const rows = await selectExistingContents(tx, owners)
      const all = rows.map(({ owner, data }) => ({ owner, fields: unresolved.get(owner)!, content: decode(data) }))
      const resolved = await resolveIds(tx, all, new Map())
      const changed = rows.filter((_, index) => resolved[index] !== all[index]!.content)
      for (const row of changed) await updateImportedContent(tx, row, JSON.stringify(resolved[rows.indexOf(row)]))
      await indexOwners(
        store,
        tx,
        [...new Set(changed.map(({ owner }) => owner))].map(owner => ({ owner })),
      )
    })
}

interface IdReference {
  type: PickerType
  owner: string
  reference: string
}

function idReferencesIn(all: readonly ReferringOwner[]): IdReference[] {
  const found: IdReference[] = []
  for (const { owner, fields, content } of all)
    if (keepsUuids(fields))
      changeReferences(fields, content, (type, field, reference) => {
        if (field['store'] !== 'id' && isId(reference)) found.push({ type, owner, reference })
        return reference
      })
  return found
}

/** Looks up the targets of all references, those of one type with one query. */
async function finderFor(tx: Tx, references: readonly IdReference[]) {
  const ofType = (type: PickerType) => references.filter(one => one.type === type)
  const files = ofType('files').map(({ reference }) => partsOf(reference))
  const paths = [...ofType('pages').map(({ reference }) => reference), ...files.flatMap(({ place }) => place || [])]
  const pages = new Map(
    (await selectByPath(tx, [...new Set(paths)])).map(({ path, uuid }) => [path, ownerOfPage(uuid)]),
  )
  const ownersOf = (owner: string, place: string) =>
    place === '' ? [owner, siteOwner] : [pages.get(place) ?? ownerOfUser(place)]
  const owners = ofType('files').flatMap(({ owner, reference }) => ownersOf(owner, partsOf(reference).place))
  const candidates = await selectByName(tx, [...new Set(owners)], [...new Set(files.map(({ name }) => name))])
  const uuids = new Map(candidates.map(({ parent, name_key, uuid }) => [`${parent} ${name_key}`, `file://${uuid}`]))
  const keys = ofType('users').map(({ reference }) => keyOf(reference))
  const users = new Map(
    (await selectUserIds(tx, [...new Set(keys)])).flatMap(({ id, email_key }) => [
      [id, ownerOfUser(id)],
      [email_key, ownerOfUser(id)],
    ]),
  )
  return (type: PickerType, owner: string, reference: string): string | undefined => {
    if (type === 'pages') return pages.get(reference)
    if (type === 'users') return users.get(keyOf(reference))
    const { place, name } = partsOf(reference)
    return ownersOf(owner, place)
      .map(one => uuids.get(`${one} ${name}`))
      .find(uuid => uuid !== undefined)
  }
}

const keyOf = (reference: string) => parseEmail(reference)?.key ?? reference

/** `exhibits/coast.jpg`; without a path it is a file of the owner itself, or of the site. */
function partsOf(reference: string) {
  const at = reference.lastIndexOf('/')
  return { place: reference.slice(0, Math.max(at, 0)), name: reference.slice(at + 1).toLowerCase() }
}

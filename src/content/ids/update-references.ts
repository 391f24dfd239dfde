import type { App } from '../../app.ts'
import type { Blueprints } from '../../blueprints/blueprints.ts'
import type { Fields } from '../../blueprints/fields/field.ts'
import { anyField, type PickerType } from '../../blueprints/fields/references.ts'
import { indexOwners } from '../../platform/search/search.ts'
import type { Tx } from '../../platform/store/store.ts'
import { type DraftChanges, decodeChanges } from '../drafts/queries.ts'
import { decode } from '../queries.ts'
import { type ReferenceCandidate, lockCandidates, updateChangedIds } from './queries.ts'
import { type ReplaceReference, changeInText, changeReferences } from './stored-references.ts'

export interface IdChange {
  types: readonly PickerType[]
  /** Old and new id. Ids of subpages and files begin with it, and change too. */
  from: string
  to: string
  /** The content of its own parent may refer to a file by filename alone. */
  within?: { owner: string; from: string; to: string }
  /** Owners with a file of their own that has this id: a file of the site has no path before its name. */
  except?: ReadonlySet<string>
}

/**
 * Fields with `store: id` refer to pages and files by id, which changes with a new slug, parent or filename. Updates
 * these references in the same transaction. Costs nothing on sites without such fields.
 */
export async function updateIdReferences({ blueprints, store }: App, tx: Tx, renamed: IdChange): Promise<void> {
  if (!hasIds(blueprints)) return
  const searchText = renamed.within?.from ?? renamed.from // the filename is part of the full id, so it finds both
  for (const table of ['contents', 'changes'] as const)
    for await (const rows of lockCandidates(tx, table, searchText)) {
      const changed = new Set<string>()
      for (const row of rows) {
        const fields = fieldsOf(blueprints, row)
        if (!fields || !storesIds(fields) || renamed.except?.has(row.owner)) continue
        const change = changeFor(renamed, row.owner)
        const data =
          table === 'contents'
            ? JSON.stringify(changeReferences(fields, decode(row.data), change))
            : JSON.stringify(inChanges(fields, decodeChanges(row.data), change))
        if (data === row.data) continue
        await updateChangedIds(tx, table, row, data)
        changed.add(row.owner)
      }
      if (table === 'contents')
        await indexOwners(
          store,
          tx,
          [...changed].map(owner => ({ owner })),
        )
    }
}

// ---- which fields store ids

const storesIds = anyField(field => (field.type === 'pages' || field.type === 'files') && field['store'] === 'id')

function hasIds(blueprints: Blueprints): boolean {
  return (
    storesIds(blueprints.site().fields) ||
    blueprints.templates('pages').some(name => storesIds(blueprints.page(name).fields)) ||
    blueprints.templates('files').some(name => storesIds(blueprints.file(name).fields)) ||
    blueprints.roles().some(role => storesIds(blueprints.role(role)?.fields ?? new Map()))
  )
}

function fieldsOf(blueprints: Blueprints, { owner, template, role }: ReferenceCandidate): Fields | undefined {
  if (owner.startsWith('page://')) return template === null ? undefined : blueprints.page(template).fields
  if (owner.startsWith('file://')) return blueprints.file(template ?? 'default').fields
  if (owner.startsWith('user://')) return role === null ? undefined : blueprints.role(role)?.fields
  return blueprints.site().fields
}

// ---- rewriting stored values

function changeFor({ types, ...renamed }: IdChange, owner: string): ReplaceReference {
  return (type, field, reference) =>
    field['store'] === 'id' && types.includes(type) ? renamedReference(reference, owner, renamed) : reference
}

function inChanges(fields: Fields, changes: DraftChanges, change: ReplaceReference): DraftChanges {
  const follow = (name: string, text: string) => changeInText(fields.get(name), text, change)
  return Object.fromEntries(
    Object.entries(changes).map(([name, one]) => [
      name,
      { ...one, from: follow(name, one.from), to: follow(name, one.to) },
    ]),
  )
}

function renamedReference(reference: string, owner: string, { from, to, within }: Omit<IdChange, 'types'>): string {
  if (within && owner === within.owner && reference === within.from) return within.to
  if (reference === from) return to
  return reference.startsWith(`${from}/`) ? to + reference.slice(from.length) : reference
}

import type { App } from '../../app.ts'
import type { Blueprints } from '../../blueprints/blueprints.ts'
import type { Field, Fields, Nested } from '../../blueprints/fields/field.ts'
import { type PickerType, replaceReferences } from '../../blueprints/fields/references.ts'
import type { Tx } from '../../store/store.ts'
import { type Changes, decodeChanges } from '../changes/queries.ts'
import type { StoredContent } from '../content.ts'
import { decode } from '../queries.ts'
import { type Candidate, candidates, updateData } from './queries.ts'

export interface Renamed {
  types: readonly PickerType[]
  /** What an id was, and is from now on; also the beginning of the ids of what is below a page. */
  from: string
  to: string
  /** A file is also known by its name alone, in the content of what it belongs to. */
  within?: { owner: string; from: string; to: string }
}

/**
 * Fields with `store: id` refer to pages and files by ids, which change with a slug, a move or a new name: their references
 * follow, in the same transaction. Most sites have no such field, and pay nothing.
 */
export async function followIds({ blueprints }: App, tx: Tx, renamed: Renamed): Promise<void> {
  if (!hasIds(blueprints)) return
  const wanted = renamed.within?.from ?? renamed.from // the shorter text occurs in all of them
  for (const table of ['contents', 'changes'] as const)
    for await (const rows of candidates(tx, table, wanted))
      for (const row of rows) {
        const fields = fieldsOf(blueprints, row)
        if (!fields || !storesIds(fields)) continue
        const data =
          table === 'contents'
            ? JSON.stringify(inContent(fields, decode(row.data), row.owner, renamed))
            : JSON.stringify(inChanges(fields, decodeChanges(row.data), row.owner, renamed))
        if (data !== row.data) await updateData(tx, table, row, data)
      }
}

// ---- which fields store ids

const known = new WeakMap<Fields, boolean>()

function storesIds(fields: Fields): boolean {
  let found = known.get(fields)
  if (found === undefined) {
    known.set(fields, false) // while it is found out: a block may contain itself
    known.set(fields, (found = [...fields.values()].some(isStoringIds)))
  }
  return found
}

function isStoringIds(field: Field): boolean {
  const { fields, fieldsets, settings } = field as Partial<Nested>
  return (
    ((field.type === 'pages' || field.type === 'files') && field['store'] === 'id') ||
    (fields !== undefined && storesIds(fields)) ||
    (settings !== undefined && storesIds(settings.fields)) ||
    (fieldsets !== undefined && [...fieldsets.values()].some(set => storesIds(set.fields)))
  )
}

function hasIds(blueprints: Blueprints): boolean {
  return (
    storesIds(blueprints.site().fields) ||
    blueprints.templates('pages').some(name => storesIds(blueprints.page(name).fields)) ||
    blueprints.templates('files').some(name => storesIds(blueprints.file(name).fields)) ||
    blueprints.roles().some(role => storesIds(blueprints.role(role)?.fields ?? new Map()))
  )
}

function fieldsOf(blueprints: Blueprints, { owner, template, role }: Candidate): Fields | undefined {
  if (owner.startsWith('page://')) return template === null ? undefined : blueprints.page(template).fields
  if (owner.startsWith('file://')) return template === null ? undefined : blueprints.file(template).fields
  if (owner.startsWith('user://')) return role === null ? undefined : blueprints.role(role)?.fields
  return blueprints.site().fields
}

// ---- what is stored

function inContent(fields: Fields, content: StoredContent, owner: string, renamed: Renamed): StoredContent {
  const follow = (name: string, text: string) => inText(fields.get(name), text, owner, renamed)
  return Object.fromEntries(Object.entries(content).map(([name, text]) => [name, follow(name, text)]))
}

function inChanges(fields: Fields, changes: Changes, owner: string, renamed: Renamed): Changes {
  const follow = (name: string, text: string) => inText(fields.get(name), text, owner, renamed)
  return Object.fromEntries(
    Object.entries(changes).map(([name, change]) => [
      name,
      { ...change, from: follow(name, change.from), to: follow(name, change.to) },
    ]),
  )
}

/** Structured values are JSON. What cannot be read stays as it is. */
function inText(field: Field | undefined, text: string, owner: string, renamed: Renamed): string {
  if (!field || !/^\s*[[{]/.test(text)) return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  let isChanged = false
  const replaced = replaceReferences(
    new Map([[field.name, field]]),
    { [field.name]: value },
    (type, one, references) => {
      if (one['store'] !== 'id' || !renamed.types.includes(type)) return references
      return references.map(reference => {
        const next = following(reference, owner, renamed)
        if (next !== reference) isChanged = true
        return next
      })
    },
  )
  return isChanged ? JSON.stringify(replaced[field.name]) : text
}

function following(reference: string, owner: string, { from, to, within }: Renamed): string {
  if (within && owner === within.owner && reference === within.from) return within.to
  if (reference === from) return to
  return reference.startsWith(`${from}/`) ? to + reference.slice(from.length) : reference
}

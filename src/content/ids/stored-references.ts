import type { Field, Fields } from '../../blueprints/fields/field.ts'
import { knownReferences } from '../../blueprints/fields/pickers.ts'
import { isPicker, type PickerType, replaceReferences } from '../../blueprints/fields/references.ts'
import { isList } from '../../blueprints/fields/stored.ts'
import type { StoredContent } from '../content.ts'

/** Maps a reference to its new value, or returns it unchanged. */
export type ReplaceReference = (type: PickerType, field: Field, reference: string) => string

/** Stored content with changed references. Other values and unreadable ones are not touched. */
export function changeReferences(fields: Fields, content: StoredContent, change: ReplaceReference): StoredContent {
  const entries = Object.entries(content)
  const next = entries.map(([name, text]) => changeInText(fields.get(name), text, change))
  return next.every((text, index) => text === entries[index]![1])
    ? content
    : Object.fromEntries(entries.map(([name], index) => [name, next[index]!]))
}

/** The same for one field. Structured values are JSON; imported references may be plain text. */
export function changeInText(field: Field | undefined, text: string, change: ReplaceReference): string {
  if (!field || text === '') return text
  const value = valueIn(field, text)
  if (value === undefined) return text
  let isChanged = false
  const changed = (type: PickerType, one: Field, entry: unknown) => {
    const next = typeof entry === 'string' && entry !== '' ? change(type, one, entry) : entry
    if (next !== entry) isChanged = true
    return next
  }
  const replaced = replaceReferences(
    new Map([[field.name, field]]),
    { [field.name]: value },
    (type, one, references, from) =>
      isList(from)
        ? from.map(entry => changed(type, one, entry))
        : inOneText(from, references, entry => changed(type, one, entry)),
  )
  return isChanged ? JSON.stringify(replaced[field.name]) : text
}

/** References stored as one plain text become a list if one of them changes. */
function inOneText(from: unknown, references: readonly string[], changed: (entry: string) => unknown): unknown {
  const next = references.map(changed)
  return next.every((one, index) => one === references[index]) ? from : next
}

function valueIn(field: Field, text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return isPicker(field) && knownReferences(text).length > 0 ? text : undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

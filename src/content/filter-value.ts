import { type Fields, fieldTypeOf } from '../blueprints/fields/field.ts'
import { isList } from '../blueprints/fields/stored.ts'
import type { SimpleValue } from './collection.ts'
import type { StoredContent } from './content.ts'

/** Types whose stored text cannot be compared: `false` is stored as an empty text, several values as one text. */
const read = new Set(['checkboxes', 'files', 'multiselect', 'number', 'pages', 'range', 'tags', 'toggle', 'users'])

/** The value of a field for filters and sorting: as in the API, or the stored text. */
export function filterValue(
  fields: Fields,
  content: StoredContent,
  name: string,
): SimpleValue | readonly SimpleValue[] {
  const small = name.toLowerCase()
  const stored = Object.hasOwn(content, small) ? content[small] : undefined
  const field = fields.get(small)
  const type = field && fieldTypeOf(field)
  if (!type || !(type.own || read.has(field.type))) return stored
  const value = type.read(stored, field)
  if (isList(value)) return value.filter(one => typeof one === 'string')
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string' ? value : stored
}

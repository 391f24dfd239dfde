import { isMap, listIn, textIn } from '../field.ts'
import type { PickerEntry } from './sources.ts'

/** Entries from the API. A bare reference, as in older content, is shown as its own text. */
export function entriesIn(value: unknown): PickerEntry[] {
  return listIn(value).flatMap(one => {
    if (typeof one === 'string') return [{ id: one, uuid: one.includes('://') ? one : null, text: one }]
    if (!isMap(one)) return []
    const id = textIn(one['id']) ?? textIn(one['uuid'])
    return id === undefined ? [] : [{ ...one, id, text: textIn(one['text']) ?? textIn(one['filename']) ?? id }]
  })
}

/** Compares by uuid if both have one, otherwise by id. */
export const isSame = (one: PickerEntry, other: PickerEntry): boolean =>
  one.uuid && other.uuid ? one.uuid === other.uuid : one.id === other.id

import { isMap, listIn, textIn } from '../field.ts'
import type { PickerEntry } from './sources.ts'

/** Entries from the API. A bare reference, as in older content, is shown as its own text. */
export function entriesIn(value: unknown): PickerEntry[] {
  return listIn(value).flatMap(item => {
    if (typeof item === 'string') return [{ id: item, uuid: item.includes('://') ? item : null, text: item }]
    if (!isMap(item)) return []
    const id = textIn(item['id']) ?? textIn(item['uuid'])
    return id === undefined ? [] : [{ ...item, id, text: textIn(item['text']) ?? textIn(item['filename']) ?? id }]
  })
}

/** Compares by uuid if both have one, otherwise by id. */
export const isSame = (one: PickerEntry, other: PickerEntry): boolean =>
  one.uuid && other.uuid ? one.uuid === other.uuid : one.id === other.id

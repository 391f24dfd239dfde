import { isMap, listIn, textIn } from '../field.ts'
import type { Entry } from './sources.ts'

/** Entries as the API shows them; bare references, from older content, are shown by themselves. */
export function entriesIn(value: unknown): Entry[] {
  return listIn(value).flatMap(one => {
    if (typeof one === 'string') return [{ id: one, uuid: one.includes('://') ? one : null, text: one }]
    if (!isMap(one)) return []
    const id = textIn(one['id']) ?? textIn(one['uuid'])
    return id === undefined ? [] : [{ ...one, id, text: textIn(one['text']) ?? textIn(one['filename']) ?? id }]
  })
}

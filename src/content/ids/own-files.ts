import type { App } from '../../app.ts'
import type { Fields } from '../../blueprints/fields/field.ts'
import { indexOwners } from '../../platform/search/search.ts'
import type { Tx } from '../../platform/store/store.ts'
import { type DraftChanges, decodeChanges } from '../drafts/queries.ts'
import { decode } from '../queries.ts'
import { lockTextsOf, updateChangedIds } from './queries.ts'
import { changeInText, type ReplaceReference } from './stored-references.ts'

/** Tags in texts that name a file: `(image: coast.jpg alt: The coast)`. */
const fileTags = /(\((?:image|file|video|audio|gallery)\s*:\s*)([^\s()]+)/gi

/** The names of files in the tags of a text. */
export const namesInTags = (text: string): string[] => [...text.matchAll(fileTags)].map(([, , name]) => name!)

export interface MovedFile {
  /** The former parent, and its form. */
  owner: string
  fields: Fields
  filename: string
  /** Its id before and now. */
  from: string
  to: string
  /** `file://…` */
  uri: string
}

/**
 * The content of a page may name files of this page by filename alone. Makes these references complete after a file has
 * been moved away, in the same transaction: in published content and in drafts, in every language.
 */
export async function completeReferences({ store }: App, tx: Tx, moved: MovedFile): Promise<void> {
  const { owner, fields, uri } = moved
  const names = new Set([moved.filename.toLowerCase(), moved.from.toLowerCase()])
  const isMoved = (name: string) => names.has(name.toLowerCase())
  const replace: ReplaceReference = (type, field, reference) =>
    type === 'files' && isMoved(reference) ? (field['store'] === 'id' ? moved.to : uri) : reference
  const complete = (name: string, text: string) =>
    changeInText(fields.get(name), text, replace).replaceAll(fileTags, (tag, start: string, found: string) =>
      isMoved(found) ? start + uri : tag,
    )
  const inChanges = (changes: DraftChanges): DraftChanges =>
    mapped(changes, (name, one) => ({ ...one, from: complete(name, one.from), to: complete(name, one.to) }))
  for (const table of ['contents', 'changes'] as const)
    for (const row of await lockTextsOf(tx, table, owner)) {
      const data = JSON.stringify(
        table === 'contents' ? mapped(decode(row.data), complete) : inChanges(decodeChanges(row.data)),
      )
      if (data === row.data) continue
      await updateChangedIds(tx, table, row, data)
      if (table === 'contents') await indexOwners(store, tx, [{ owner }])
    }
}

const mapped = <Value>(values: Readonly<Record<string, Value>>, change: (name: string, value: Value) => Value) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(name, value)]))

import type { z } from 'zod'
import type { NewDocument } from './queries.ts'

/** What a collection requires of its documents. */
export interface DocumentSchema {
  readonly name: string
  readonly value: z.ZodType
  /** The properties that are indexed. */
  readonly index: readonly string[]
}

const maxKeyLength = 200
/** In characters of JSON. */
const maxLength = 1_000_000
const maxIndexLength = 200

/** The document as it is stored. Throws if the key or the value does not fit. */
export function storedDocument(collection: DocumentSchema, key: string, value: unknown): NewDocument {
  const { name, value: schema } = collection
  if (!isKey(key)) throw new TypeError(`a key of the documents "${name}" has 1 to ${maxKeyLength} characters`)
  const text = JSON.stringify(schema.parse(value)) as string | undefined
  if (text === undefined || text.length > maxLength)
    throw new TypeError(`"${key}" of the documents "${name}" is not JSON of at most ${maxLength} characters`)
  const stored = JSON.parse(text) as unknown
  // Reading it must give what the type says: a date, for example, would come back as text.
  if (!schema.safeParse(stored).success)
    throw new TypeError(`the schema of the documents "${name}" does not accept its own values as JSON`)
  return { key, value: text, ...indexesOf(collection, stored) }
}

export const isKey = (key: string) => key !== '' && key.length <= maxKeyLength && !key.includes('\0')

/** The values of the indexed properties. Throws if one is too long. */
export function indexesOf(
  { name, index }: DocumentSchema,
  value: unknown,
): Pick<NewDocument, 'index_1' | 'index_2' | 'index_3'> {
  const [index_1 = null, index_2 = null, index_3 = null] = index.map(field => {
    const part = (value as Record<string, unknown> | null)?.[field]
    if (part === undefined || part === null) return null
    const text = typeof part === 'string' ? part : JSON.stringify(part)
    // Not cut off: the document would not be found by its value.
    if (text.length > maxIndexLength || text.includes('\0'))
      throw new TypeError(
        `"${field}" of the documents "${name}" is indexed and has at most ${maxIndexLength} characters`,
      )
    return text
  })
  return { index_1, index_2, index_3 }
}

import type { Fields } from '../blueprints/fields/field.ts'
import type { ContentLanguage } from '../http/look.ts'
import { batched } from '../store/batch.ts'
import type { Store } from '../store/store.ts'
import type { StoredContent } from './content.ts'
import { decode, selectRows } from './queries.ts'

/** Rows of contents as a statement about their owners brings them along: in the language asked for, and in the default one. */
export interface Texts {
  own: string | null
  /** The same row again where the language is the default one, or missing then. */
  base?: string | null
}

/**
 * What is stored in a language, with what the default language says about all else: what is not translated yet, and what the
 * blueprint says is the same in all of them.
 */
export function merged({ own, base = null }: Texts, fields: Fields): StoredContent {
  const translated = own === null ? {} : decode(own)
  if (base === null) return translated
  const source = decode(base)
  const content: Record<string, string> = { ...source, ...translated }
  for (const [name, { translate }] of fields) {
    if (translate) continue
    if (Object.hasOwn(source, name)) content[name] = source[name]!
    else delete content[name]
  }
  return content
}

// Lists show many things at once: what is asked for each of them is read for all together.
const rows = batched(
  (store, keys: string[]) => {
    const pairs = keys.map(key => key.split(' ') as [language: string, owner: string])
    return selectRows(store, [...new Set(pairs.map(([, owner]) => owner))], [...new Set(pairs.map(([key]) => key))])
  },
  ({ owner, language }) => `${language} ${owner}`,
)

/** Of one thing (`user://…`), for whoever does not have it at hand. */
export async function readStored(
  store: Store,
  owner: string,
  { key, fallback }: ContentLanguage,
  fields: Fields,
): Promise<StoredContent> {
  const [own, base] = await Promise.all([
    rows(store, `${key} ${owner}`),
    key === fallback ? undefined : rows(store, `${fallback} ${owner}`),
  ])
  return merged({ own: own?.data ?? null, base: base?.data ?? null }, fields)
}

import type { Fields } from '../../../blueprints/fields/field.ts'

/** Joined rows of `contents`: in the requested language (`own`), and in the default language (`base`). */
export interface JoinedContent {
  own: string | null
  /** Missing, or the same row again, if the requested language is the default. */
  base?: string | null
}

/**
 * The content in a language. Fields that are not translated yet, and fields with `translate: false`, come from the
 * default language.
 */
export function merged({ own, base = null }: JoinedContent, fields: Fields): Readonly<Record<string, string>> {
  const translated = own === null ? {} : (JSON.parse(own) as Readonly<Record<string, string>>)
  if (base === null) return translated
  const source = JSON.parse(base) as Readonly<Record<string, string>>
  const content: Record<string, string> = { ...source, ...translated }
  for (const [name, { translate }] of fields) {
    if (translate) continue
    if (Object.hasOwn(source, name)) content[name] = source[name]!
    else delete content[name]
  }
  return content
}

import type { Fields } from '../../../blueprints/fields/field.ts'

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
export function merged({ own, base = null }: Texts, fields: Fields): Readonly<Record<string, string>> {
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

const decode = (data: string) => JSON.parse(data) as Readonly<Record<string, string>>

import { toDisk } from '../../blueprints/fields/disk.ts'
import type { Fields as FormFields } from '../../blueprints/fields/field.ts'
import { decode } from '../../content/queries.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import type { Store } from '../../platform/store/store.ts'
import { selectContents } from './queries.ts'
import type { Folder, Target } from './target.ts'
import { writeText } from './text.ts'

export type Fields = [name: string, value: string][]

/** What is stored of a thing in one language. */
export interface Stored {
  content: Readonly<Record<string, string>>
  modified: number
}

/** By owner, then by the key of the language. */
export type Contents = ReadonlyMap<string, ReadonlyMap<string, Stored>>

/** So few at once: each may be large. */
const atOnce = 50

export async function readContents(store: Store, owners: readonly string[]): Promise<Contents> {
  const found = new Map<string, Map<string, Stored>>()
  for (const some of chunks(owners, atOnce))
    for (const { owner, language, data, modified_at } of await selectContents(store, some)) {
      if (!found.has(owner)) found.set(owner, new Map())
      found.get(owner)!.set(language, { content: decode(data), modified: modified_at })
    }
  return found
}

/** A thing whose texts are written. */
export interface Described {
  owner: string
  /** Of its text files, without the language: `exhibit`, `gears.png`. */
  name: string
  /** Of its blueprint: what is stored as JSON is YAML in text files. */
  fields: FormFields
  /** When it was last changed in any way: its text in the default language says that, and none is younger. */
  modified?: number
  /** What is not kept among the content: after the title, and after all of it. */
  before?: (language: ContentLanguage) => Fields
  after?: (language: ContentLanguage) => Fields
  /** What the content cannot say, as it is said elsewhere. */
  without: (language: ContentLanguage) => ReadonlySet<string>
}

export interface Writing {
  target: Target
  languages: readonly ContentLanguage[]
}

/** One file for every language that it has; in the default one there always is one. */
export function writeContents(
  { target, languages }: Writing,
  folder: Folder,
  { owner, name, fields, modified, before, after, without }: Described,
  contents: Contents,
): void {
  for (const language of languages) {
    const stored = contents.get(owner)?.get(language.key)
    const [first, last] = [before?.(language) ?? [], after?.(language) ?? []]
    if (!stored && language.key !== language.fallback && first.length + last.length === 0) continue
    const { title, ...rest } = toDisk(fields, stored?.content ?? {})
    const own = Object.entries(rest).filter(([key]) => !without(language).has(key))
    const text = writeText([...(title === undefined ? [] : [['title', title] as const]), ...first, ...own, ...last])
    const isBasic = language.key === language.fallback
    const time = Math.min(modified ?? Infinity, (isBasic ? modified : undefined) ?? stored?.modified ?? Infinity)
    target.text(folder, fileName(name, language), text, Number.isFinite(time) ? { modified: time } : {})
  }
}

/** `exhibit.en.txt`, or `exhibit.txt` on a site without languages. */
const fileName = (name: string, { code }: ContentLanguage) =>
  code === undefined ? `${name}.txt` : `${name}.${code}.txt`

import { toDisk } from '../../blueprints/fields/disk.ts'
import type { Fields as FormFields } from '../../blueprints/fields/field.ts'
import { isDefault } from '../../content/languages/languages.ts'
import { decode } from '../../content/queries.ts'
import type { ContentLanguage } from '../../http/context.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import type { Store } from '../../platform/store/store.ts'
import { selectExportedContents } from './queries.ts'
import type { ExportFolder, Target } from './target.ts'
import { writeText } from './text.ts'

export type TextFields = [name: string, value: string][]

/** The content of a model in one language, and when it was changed. */
export interface ExportedContent {
  content: Readonly<Record<string, string>>
  modified: number
}

/** By owner, then by the key of the language. */
export type Contents = ReadonlyMap<string, ReadonlyMap<string, ExportedContent>>

/** Owners per query: each content may be large. */
const ownersPerQuery = 50

export async function readContents(store: Store, owners: readonly string[]): Promise<Contents> {
  const found = new Map<string, Map<string, ExportedContent>>()
  for (const batch of chunks(owners, ownersPerQuery))
    for (const { owner, language, data, modified_at } of await selectExportedContents(store, batch)) {
      if (!found.has(owner)) found.set(owner, new Map())
      found.get(owner)!.set(language, { content: decode(data), modified: modified_at })
    }
  return found
}

/** A model whose text files are written. */
export interface ExportedModel {
  owner: string
  /** The name of its text files without the language: `exhibit`, `gears.png`. */
  name: string
  /** The fields of its blueprint: structured values are JSON in the database and YAML in text files. */
  fields: FormFields
  /**
   * When the model was last changed in any way. The file in the default language gets this time; the others get the time
   * of their content, but none later than this. Without it, each file gets the time of its content.
   */
  modified?: number
  /** Values that are not stored in the content, written after the title. */
  before?: (language: ContentLanguage) => TextFields
  /** Values that are not stored in the content, written at the end. */
  after?: (language: ContentLanguage) => TextFields
  /** Names of fields that are not written from the content: `before` or `after` writes them, or they do not belong into it. */
  excludedFields: (language: ContentLanguage) => ReadonlySet<string>
}

export interface ExportContext {
  target: Target
  languages: readonly ContentLanguage[]
}

/**
 * Writes one file for every language in which the model has content, or values that `before` or `after` returns; always
 * one in the default language.
 */
export function writeContents(
  { target, languages }: ExportContext,
  folder: ExportFolder,
  { owner, name, fields, modified, before, after, excludedFields }: ExportedModel,
  contents: Contents,
): void {
  for (const language of languages) {
    const isInDefault = isDefault(language)
    const stored = contents.get(owner)?.get(language.key)
    const [first, last] = [before?.(language) ?? [], after?.(language) ?? []]
    if (!stored && !isInDefault && first.length + last.length === 0) continue
    const { title, ...rest } = toDisk(fields, stored?.content ?? {})
    const own = Object.entries(rest).filter(([key]) => !excludedFields(language).has(key))
    const text = writeText([...(title === undefined ? [] : [['title', title] as const]), ...first, ...own, ...last])
    const time = Math.min(modified ?? Infinity, (isInDefault ? modified : undefined) ?? stored?.modified ?? Infinity)
    target.text(folder, fileName(name, language), text, Number.isFinite(time) ? { modified: time } : {})
  }
}

/** `exhibit.en.txt`, or `exhibit.txt` on a site without languages. */
const fileName = (name: string, { code }: ContentLanguage) =>
  code === undefined ? `${name}.txt` : `${name}.${code}.txt`

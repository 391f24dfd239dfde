import { fromDisk } from '../../blueprints/fields/disk.ts'
import type { Fields } from '../../blueprints/fields/field.ts'
import type { StoredContent } from '../../content/content.ts'
import { differing } from '../../content/difference.ts'
import { decode, deleteOldVersions } from '../../content/queries.ts'
import type { ContentLanguage } from '../../http/context.ts'
import type { Tx } from '../../platform/store/store.ts'
import type { FoundText } from './folder.ts'
import { type ContentRow, type NewContent, upsertContents, selectExistingContents } from './queries.ts'
import { resolveIds, type Unresolved } from './references.ts'
import type { ReportKind } from './report.ts'

/** A model with content (a page, the site, an account or a file) in the transaction that writes it. */
export interface ImportedModel {
  kind: Exclude<ReportKind, 'blueprints' | 'languages'>
  owner: string
  /** 0 for a new model. */
  revision: number
  texts: readonly FoundText[]
  /** The fields of its blueprint: structured values are stored as JSON. */
  fields: Fields
  /** Names of values that are stored in columns, and not in the content. */
  columnNames: (language: ContentLanguage) => ReadonlySet<string>
  /** Whether anything differs from the stored model. Set by `writeContents` for changed content. */
  isChanged: boolean
}

/**
 * Writes new and changed contents, returns them, and sets `isChanged` of their models. `time` is the time of the
 * database, in ms since 1970.
 */
export async function writeContents(
  tx: Tx,
  models: readonly ImportedModel[],
  { time, keep, fallback, unresolved }: { time: number; keep: number; fallback: string; unresolved: Unresolved },
): Promise<ContentRow[]> {
  const before = new Map<string, StoredContent>()
  const old = models.filter(({ revision }) => revision > 0).map(({ owner }) => owner)
  for (const { owner, language, data } of await selectExistingContents(tx, old))
    before.set(`${language} ${owner}`, decode(data))
  const rows: NewContent[] = []
  const texts = models.map(model => textsOf(model, fallback))
  const referring = models.flatMap(({ owner, fields }, at) =>
    texts[at]!.map(({ content }) => ({ owner, fields, content })),
  )
  const contents = (await resolveIds(tx, referring, unresolved)).values()
  for (const [at, model] of models.entries()) {
    const { owner, revision } = model
    const next = texts[at]!.flatMap(({ language, modified }): NewContent[] => {
      const content = contents.next().value!
      const stored = before.get(`${language} ${owner}`)
      const fields = differing(stored ?? {}, content)
      if (stored && fields.length === 0) return []
      return [{ owner, language, content, revision: revision + 1, fields, modified: Math.min(modified, time) }]
    })
    if (next.length > 0) model.isChanged = true
    rows.push(...next)
  }
  const stored = await upsertContents(tx, rows, time)
  for (const { owner, language, revision } of rows)
    if (revision > keep) await deleteOldVersions(tx, owner, language, keep)
  return stored
}

/** Contents by language key. A new model always has a content in the default language, even if it is empty. */
function textsOf({ texts, fields, revision, columnNames }: ImportedModel, fallback: string) {
  const found = texts.map(({ language, content, modified }) => {
    const names = columnNames(language)
    const own = Object.entries(content).filter(([name]) => !names.has(name))
    return { language: language.key, content: fromDisk(fields, Object.fromEntries(own)), modified }
  })
  if (revision > 0 || found.some(({ language }) => language === fallback)) return found
  return [...found, { language: fallback, content: {}, modified: Infinity }]
}

/** The value of a name in the text of the default language. */
export function firstText(texts: readonly FoundText[], name: string): string {
  return texts.find(({ language }) => language.key === language.fallback)?.content[name] ?? ''
}

/** The latest modification time of the text files, but never later than `time`. */
export function modifiedAt(texts: readonly FoundText[], time: number): number {
  return texts.length === 0 ? time : Math.min(time, Math.max(...texts.map(({ modified }) => modified)))
}

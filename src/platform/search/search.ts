import { hash } from 'node:crypto'
import { createYielder } from '../lib/yield.ts'
import type { Store, Tx } from '../store/store.ts'
import * as queries from './queries.ts'
import { titleKey, wordsOf, wordsYielding } from './words.ts'

const batchSize = 200
/** Number of owners whose contents are read at once: a content has up to 1 MB. */
const contentBatchSize = 50
const maxTitleWords = 1000

/**
 * Updates the search index of these pages and files in every language from their stored content. Call it in the
 * transaction of the change, after the content is stored, so that index and content always match.
 */
export async function indexOwners(store: Store, tx: Tx, changed: readonly { owner: string }[]): Promise<void> {
  const owners = [...new Set(changed.map(({ owner }) => owner))].toSorted()
  for (let start = 0; start < owners.length; start += contentBatchSize) {
    const stored = await queries.selectStored(store, tx, owners.slice(start, start + contentBatchSize))
    const { changed: entries, orphanedIds } = await compareWithIndex(stored)
    await queries.upsertEntries(store, tx, entries)
    await queries.deleteIndexRows(store, tx, orphanedIds)
  }
}

/** The same for one page in one language, whose stored content is known: it need not be read again. */
export async function indexContent(store: Store, tx: Tx, page: IndexedPage, content: StoredContent): Promise<void> {
  await queries.upsertEntries(store, tx, [await buildEntry({ ...page, filename: null }, content)])
}

type IndexedPage = Pick<queries.IndexedContent, 'owner' | 'language'> & { path: string; parent: string }
type StoredContent = Readonly<Record<string, string>>

/** Sorts stored content into entries that have changed, entries that have not, and index rows without content. */
export async function compareWithIndex(stored: readonly queries.IndexedContent[]) {
  const yielder = createYielder()
  const changed: queries.IndexEntry[] = []
  const unchanged: { id: number; entry: queries.IndexEntry }[] = []
  const orphanedIds: number[] = []
  for (const one of stored) {
    if (yielder.isDue()) await yielder.yieldNow()
    const entry = await entryFromRow(one)
    if (entry && entry.digest !== one.digest) changed.push(entry)
    else if (entry && one.id !== null) unchanged.push({ id: one.id, entry })
    else if (one.id !== null) orphanedIds.push(one.id)
  }
  return { changed, unchanged, orphanedIds }
}

/** Removes these pages and files from the index, in every language. */
export async function removeFromIndex(store: Store, tx: Tx, owners: readonly string[]): Promise<void> {
  for (let start = 0; start < owners.length; start += batchSize)
    await queries.deleteIndexRows(store, tx, await queries.selectIds(store, tx, owners.slice(start, start + batchSize)))
}

/** Removes all index entries of a language; `key` is the `language` column of contents. */
export async function removeLanguageFromIndex(store: Store, tx: Tx, key: string): Promise<void> {
  for (;;) {
    const ids = await queries.selectIdsIn(tx, key, batchSize)
    if (ids.length === 0) return
    await queries.deleteIndexRows(store, tx, ids)
  }
}

/** Called when contents get another language key. The words stay the same. */
export async function renameLanguage(tx: Tx, from: string, to: string): Promise<void> {
  await queries.updateIndexLanguage(tx, from, to)
}

/**
 * The index entry of a page or file in one language, computed from its stored content only. Undefined for other owners
 * and without content.
 */
export async function entryFromRow({ data, ...row }: queries.IndexedContent): Promise<queries.IndexEntry | undefined> {
  if (data === null || (row.path ?? row.filename) === null) return undefined
  return buildEntry(row, JSON.parse(data) as StoredContent)
}

async function buildEntry(
  { owner, language, path, parent, filename }: Omit<queries.IndexedContent, 'data' | 'id' | 'digest'>,
  stored: StoredContent,
): Promise<queries.IndexEntry> {
  const { title: own = '', uuid: _, ...content } = stored
  const id = path ?? filename!
  const title = path === null ? id : own || id.slice(id.lastIndexOf('/') + 1)
  const entry = {
    owner,
    language,
    page: path === null ? null : owner.slice('page://'.length),
    title_key: titleKey(title),
    heavy: wordsOf([title, id], maxTitleWords).join(' '),
    light: (await wordsYielding([...Object.values(content), ...(path === null ? [own] : [])])).join(' '),
    place: parent === null ? filePlace : childrenPlace(parent),
  }
  return { ...entry, digest: digestOf(path === null ? { ...entry, place: '' } : entry) }
}

/** The `place` word that all files share; pages have the word of their parent. */
export const filePlace = 'file'

/** The `place` word that all children of a page share, also those at the top level. */
export function childrenPlace(parent: string): string {
  return `in${Buffer.from(parent).toString('hex')}`
}

function digestOf({
  title_key,
  heavy,
  light,
  place,
}: Pick<queries.IndexEntry, 'title_key' | 'heavy' | 'light' | 'place'>): string {
  return hash('sha256', `${title_key}\n${heavy}\n${light}\n${place}\n`, 'base64url').slice(0, 22)
}

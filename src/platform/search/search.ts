import { hash } from 'node:crypto'
import { createYielder } from '../lib/yield.ts'
import type { Store, Tx } from '../store/store.ts'
import * as queries from './queries.ts'
import { titleKey, wordsOf } from './words.ts'

const pieceSize = 200
/** Contents have up to 1 MB each. */
const contentsAtOnce = 50
const maxHeavy = 1000

/**
 * In the transaction of what is stored, after it: neither is there without the other. Whatever is stored of these pages and
 * files, in every language, is what they are found by from now on.
 */
export async function indexOwners(store: Store, tx: Tx, things: readonly { owner: string }[]): Promise<void> {
  const owners = [...new Set(things.map(({ owner }) => owner))].toSorted()
  for (let start = 0; start < owners.length; start += contentsAtOnce) {
    const stored = await queries.selectStored(store, tx, owners.slice(start, start + contentsAtOnce))
    const { entries, gone } = await compared(stored)
    await queries.putEntries(store, tx, entries)
    await queries.deleteRows(store, tx, gone)
  }
}

/** The same for a page that has just been made, in the one language it has: what is stored of it need not be read again. */
export async function indexNewOwner(store: Store, tx: Tx, page: NewPage, content: StoredContent): Promise<void> {
  await queries.putEntries(store, tx, [entryIn({ ...page, filename: null }, content)])
}

type NewPage = Pick<queries.Stored, 'owner' | 'language'> & { path: string; parent: string }
type StoredContent = Readonly<Record<string, string>>

/** What is to be found in another way than before, what in the same way, and the rows of what is not there any more. */
export async function compared(stored: readonly queries.Stored[]) {
  const pace = createYielder()
  const entries: queries.Entry[] = []
  const same: { id: number; entry: queries.Entry }[] = []
  const gone: number[] = []
  for (const one of stored) {
    if (pace.isOver()) await pace.rest()
    const entry = entryOf(one)
    if (entry && entry.digest !== one.digest) entries.push(entry)
    else if (entry && one.id !== null) same.push({ id: one.id, entry })
    else if (one.id !== null) gone.push(one.id)
  }
  return { entries, same, gone }
}

/** In every language. */
export async function removeFromIndex(store: Store, tx: Tx, owners: readonly string[]): Promise<void> {
  for (let start = 0; start < owners.length; start += pieceSize)
    await queries.deleteRows(store, tx, await queries.selectIds(store, tx, owners.slice(start, start + pieceSize)))
}

/** With the language itself; `key` is what its contents are stored under. */
export async function removeLanguageFromIndex(store: Store, tx: Tx, key: string): Promise<void> {
  for (;;) {
    const ids = await queries.selectIdsIn(tx, key, pieceSize)
    if (ids.length === 0) return
    await queries.deleteRows(store, tx, ids)
  }
}

/** What was stored under one key is stored under another. The words stay the same. */
export async function renameLanguage(_store: Store, tx: Tx, from: string, to: string): Promise<void> {
  await queries.renameLanguage(tx, from, to)
}

/** How a thing is found in a language, by what is stored of it: nothing else decides. Only pages and files are found. */
export function entryOf({ data, ...thing }: queries.Stored): queries.Entry | undefined {
  if (data === null || (thing.path ?? thing.filename) === null) return undefined
  return entryIn(thing, JSON.parse(data) as StoredContent)
}

function entryIn(
  { owner, language, path, parent, filename }: Omit<queries.Stored, 'data' | 'id' | 'digest'>,
  stored: StoredContent,
): queries.Entry {
  const { title: own = '', uuid: _, ...content } = stored
  const id = path ?? filename!
  const title = path === null ? id : own || id.slice(id.lastIndexOf('/') + 1)
  const entry = {
    owner,
    language,
    page: path === null ? null : owner.slice('page://'.length),
    title_key: titleKey(title),
    heavy: wordsOf([title, id], maxHeavy).join(' '),
    light: wordsOf([...Object.values(content), ...(path === null ? [own] : [])]).join(' '),
    place: parent === null ? ofFiles : placeIn(parent),
  }
  return { ...entry, digest: digestOf(path === null ? { ...entry, place: '' } : entry) }
}

/** The word that all files have, where pages have that of their place. It tells none of them from another. */
export const ofFiles = 'file'

/** One word that all children of a page have; those at the top have one, too. */
export function placeIn(parent: string): string {
  return `in${Buffer.from(parent).toString('hex')}`
}

function digestOf({
  title_key,
  heavy,
  light,
  place,
}: Pick<queries.Entry, 'title_key' | 'heavy' | 'light' | 'place'>): string {
  return hash('sha256', `${title_key}\n${heavy}\n${light}\n${place}\n`, 'base64url').slice(0, 22)
}

import type { App } from '../../../app.ts'
import { selectStored } from '../../../platform/search/queries.ts'
import { compareWithIndex } from '../../../platform/search/search.ts'
import type { CheckOptions, Fault } from '../fault.ts'
import * as queries from './queries.ts'

/** Entries and words of the search index that differ from what is stored. */
export async function* searchFaults({ store }: App, { progress, thorough }: CheckOptions): AsyncGenerator<Fault> {
  let count = 0
  for await (const batch of queries.ownerBatches(store)) {
    progress('what is found', (count += batch.length))
    const owners = batch.map(({ owner }) => owner)
    const suspects = await wrongEntries(store, owners, thorough)
    if (suspects.size === 0) continue
    for (const [owner, message] of await wrongEntries(store, [...suspects.keys()], thorough))
      yield { kind: 'search', at: owner, message: `${owner} ${message}` }
  }
  const { withoutWords, withoutRow } = await queries.selectUnmatched(store)
  for (const { owner } of withoutWords)
    yield { kind: 'search', at: owner, message: `${owner} has no words in the index` }
  for (const { id } of withoutRow)
    yield { kind: 'search', at: `${id}`, message: `the index has words for row ${id}, which does not exist` }
}

/** The owners whose entries in the search index differ from their content, with a message. */
async function wrongEntries(store: App['store'], owners: string[], thorough: boolean): Promise<Map<string, string>> {
  const stored = await selectStored(store, store.db, owners)
  const wrong = new Map<string, string>()
  const { changed: entries, unchanged: same, orphanedIds: gone } = await compareWithIndex(stored)
  for (const { owner } of entries) wrong.set(owner, 'is not found by what is stored of it')
  const lost = new Set(gone)
  for (const { id, owner } of stored)
    if (id !== null && lost.has(id)) wrong.set(owner, 'is found, but nothing is stored of it')
  const found = same.map(({ id, entry }) => ({ id, words: entry }))
  const wrongWords = await queries.selectWrongWords(store, found, thorough)
  for (const { id, entry } of same)
    if (wrongWords.has(id)) wrong.set(entry.owner, 'has other words in the index than in its content')
  return wrong
}

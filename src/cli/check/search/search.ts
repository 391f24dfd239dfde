import type { App } from '../../../app.ts'
import { selectStored } from '../../../platform/search/queries.ts'
import { compareWithIndex } from '../../../platform/search/search.ts'
import type { CheckOptions, Fault } from '../fault.ts'
import * as queries from './queries.ts'

/** Entries and words of the search index that differ from what is stored. */
export async function* searchFaults({ store }: App, { progress, thorough }: CheckOptions): AsyncGenerator<Fault> {
  let count = 0
  for await (const batch of queries.selectOwnerBatches(store)) {
    progress('search index', (count += batch.length))
    const owners = batch.map(({ owner }) => owner)
    // An entry whose content changes between the two reads looks wrong, too: only those that are wrong again are reported.
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
  const { changed, unchanged, orphanedIds } = await compareWithIndex(stored)
  for (const { owner } of changed) wrong.set(owner, 'has a missing or outdated entry in the search index')
  const orphaned = new Set(orphanedIds)
  for (const { id, owner } of stored)
    if (id !== null && orphaned.has(id)) wrong.set(owner, 'is in the search index, but has no content')
  const expected = unchanged.map(({ id, entry }) => ({ id, words: entry }))
  const wrongWords = await queries.selectWrongWords(store, expected, thorough)
  for (const { id, entry } of unchanged)
    if (wrongWords.has(id)) wrong.set(entry.owner, 'has other words in the index than in its content')
  return wrong
}

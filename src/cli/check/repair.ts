import type { App } from '../../app.ts'
import { convertOwners } from '../../content/convert/convert.ts'
import { releaseBlobs } from '../../platform/media/blobs.ts'
import { removeFromIndex, indexOwners } from '../../platform/search/search.ts'
import { repairDocuments } from './documents/documents.ts'
import type { Fault } from './fault.ts'
import * as queries from './queries.ts'
import { deleteSuccessors, deleteWrongRedirects } from './redirects/queries.ts'
import { deleteStray, selectUnmatched } from './search/queries.ts'

/**
 * Repairs what needs no decision: deletes rows without an owner, releases unused blobs, and rebuilds counts, references
 * the search index and the indexes of documents, and deletes automatic redirects that cannot be used.
 */
export async function repair(app: App, faults: readonly Fault[]): Promise<void> {
  const { store } = app
  const at = (kind: Fault['kind']) => new Set(faults.filter(fault => fault.kind === kind).map(fault => fault.at))
  const [orphaned, miscounted, search] = [at('owners'), at('counts'), [...at('search')]]

  // Files first: rows that belong to them become orphans. The search index has its own function, which also removes the
  // words.
  for (const table of ['files', ...queries.ownedTables] as const)
    if (table !== 'search_rows' && (orphaned.has(table) || orphaned.has('files')))
      await store.write(tx => queries.deleteOrphans(tx, table))
  const rows = await queries.selectOrphans(store, 'search_rows')
  if (rows.length > 0)
    await store.write(tx =>
      removeFromIndex(
        store,
        tx,
        rows.map(({ owner }) => owner),
      ),
    )

  for await (const blobs of queries.selectBlobBatches(store)) {
    const unused = blobs.filter(blob => blob.unused_since === null && blob.used === 0).map(({ hash }) => hash)
    if (unused.length > 0) await store.write(tx => releaseBlobs(tx, unused))
  }

  for (const table of ['page_counts', 'user_counts'] as const)
    if (miscounted.has(table)) await store.write(tx => queries.updateCounts(store, tx, table))

  // Stored as YAML, and too large to be parsed within a request.
  await convertOwners(app, [...at('fields')])

  // Remove the entries and index again: the words in the index do not match their rows.
  const owners = search.filter(name => name.includes('://'))
  for (let start = 0; start < owners.length; start += queries.batchSize) {
    const batch = owners.slice(start, start + queries.batchSize)
    await store.write(async tx => {
      await removeFromIndex(store, tx, batch)
      await indexOwners(
        store,
        tx,
        batch.map(owner => ({ owner })),
      )
    })
  }
  const linked = [...at('links')]
  for (let start = 0; start < linked.length; start += queries.batchSize)
    await store.write(tx => queries.updateLinks(tx, linked.slice(start, start + queries.batchSize)))
  const { withoutRow } = await selectUnmatched(store)
  if (withoutRow.length > 0)
    await store.write(tx =>
      deleteStray(
        store,
        tx,
        withoutRow.map(({ id }) => id),
      ),
    )

  await repairDocuments(app, at('documents'))

  const redirects = [...at('redirects')]
  for (let start = 0; start < redirects.length; start += queries.batchSize) {
    const batch = redirects.slice(start, start + queries.batchSize)
    const pages = batch.filter(name => name.startsWith('page://')).map(name => name.slice('page://'.length))
    const ids = batch.filter(name => !name.startsWith('page://')).map(Number)
    await store.write(async tx => {
      if (pages.length > 0) await deleteSuccessors(tx, pages)
      if (ids.length > 0) await deleteWrongRedirects(tx, ids)
    })
  }
}

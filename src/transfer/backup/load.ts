import type { Media } from '../../platform/media/media.ts'
import { removeFromIndex, indexOwners } from '../../platform/search/search.ts'
import type { Store, Tx } from '../../platform/store/store.ts'
import { insertUnused, selectIndexableOwners, selectOwnersWithoutContent, snapshotIn } from './queries.ts'

const batchSize = 200

/**
 * Rebuilds the search index from the contents. `inTransaction` runs each batch: all batches in one transaction, or each
 * in its own, so that an interruption loses little.
 */
export async function reindexAll(
  store: Store,
  inTransaction: <Value>(work: (tx: Tx) => Promise<Value>) => Promise<Value>,
): Promise<void> {
  await inTransaction(async tx => {
    const gone = await selectOwnersWithoutContent(snapshotIn(store, tx))
    await removeFromIndex(
      store,
      tx,
      gone.map(({ owner }) => owner),
    )
  })
  for (let after: string | undefined = ''; after !== undefined;) {
    const from: string = after
    after = await inTransaction(async tx => {
      const owners = await selectIndexableOwners(snapshotIn(store, tx), from)
      await indexOwners(store, tx, owners)
      return owners.at(-1)?.owner
    })
  }
}

/** Registers blobs that no restored row uses as unused, so that a server sweeps them. */
export async function registerUnusedBlobs(tx: Tx, media: Media, isKnown: (hash: string) => boolean): Promise<void> {
  let batch: { hash: string; size: number }[] = []
  for await (const hash of media.list()) {
    if (isKnown(hash)) continue
    const size = await media.size(hash)
    if (size !== undefined) batch.push({ hash, size })
    if (batch.length < batchSize) continue
    await insertUnused(tx, batch)
    batch = []
  }
  await insertUnused(tx, batch)
}

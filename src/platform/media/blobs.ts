import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { chunks } from '../lib/chunks.ts'
import type { Store, Tx } from '../store/store.ts'
import { evictThumbs } from './eviction.ts'
import type { Media } from './media.ts'
import * as queries from './queries.ts'
import { namesIn } from './temporary.ts'

/** The part of `App` that is needed here; this folder is below `app.ts` in the layers. */
interface MediaContext {
  config: Config
  store: Store
  media: Media
}

/** How long an unused blob stays, in milliseconds: longer than any upload takes to become a file. */
const unusedFor = 60 * 60_000
const batchSize = 100

/**
 * Called before the bytes are stored: if the process dies before a file uses them, the row makes sure that they are
 * swept.
 */
export async function claimBlob({ store }: Pick<MediaContext, 'store'>, hash: string, size: number): Promise<void> {
  await store.write(tx => queries.upsertUnused(tx, hash, size))
}

/** The same for many blobs. */
export async function claimBlobs(
  { store }: Pick<MediaContext, 'store'>,
  blobs: readonly { hash: string; size: number }[],
): Promise<void> {
  // Without duplicates and sorted: all transactions lock the rows in the same order, so they do not deadlock.
  const sizes = new Map(blobs.map(({ hash, size }) => [hash, size]))
  const sorted = [...sizes.keys()].toSorted().map(hash => ({ hash, size: sizes.get(hash)! }))
  await store.write(async tx => {
    for (const batch of chunks(sorted)) await queries.upsertManyUnused(tx, batch)
  })
}

/** The blob was swept after it was claimed. Claim and store it again. */
export class BlobGone extends Error {}

/** Called in the transaction of the file that gets these bytes. */
export async function useBlob(tx: Tx, hash: string): Promise<void> {
  if (!(await queries.markUsed(tx, hash))) throw new BlobGone(hash)
}

/** The same for many blobs. */
export async function useBlobs(tx: Tx, hashes: readonly string[]): Promise<void> {
  for (const batch of chunks([...new Set(hashes)].toSorted()))
    if ((await queries.markManyUsed(tx, batch)) < batch.length) throw new BlobGone(`one of ${batch.length}`)
}

/** Called in the transaction of the files that had these bytes, after their rows are deleted or changed. */
export async function releaseBlobs(tx: Tx, hashes: readonly string[]): Promise<void> {
  const sorted = [...new Set(hashes)].toSorted()
  for (let start = 0; start < sorted.length; start += batchSize)
    await queries.markUnused(tx, sorted.slice(start, start + batchSize))
}

const day = 24 * 60 * 60_000

/** Removes leftovers: blobs without a file, thumbnails without a blob, temporary files without a process. */
export async function sweepMedia(place: MediaContext): Promise<void> {
  await sweepBlobs(place)
  await sweepThumbs(place)
  await place.media.sweep(day)
}

/** Removes unused blobs and their thumbnails. Any number of processes may do it at once. */
export async function sweepBlobs({ config, store, media }: MediaContext): Promise<void> {
  for (;;) {
    const hashes = await queries.selectUnused(store, unusedFor, batchSize)
    for (const hash of hashes) {
      await store.write(async tx => {
        if (!(await queries.lockUnused(tx, hash, unusedFor))) return
        // The bytes first: a row without bytes is swept again, bytes without a row would stay for ever.
        await media.remove(hash)
        await rm(thumbsOf(config, hash), { recursive: true, force: true, maxRetries: 3 }) // one may be written now
        await queries.deleteBlob(tx, hash)
      })
    }
    if (hashes.length < batchSize) return
  }
}

/** The folder of the thumbnails of a blob, on this machine. */
export function thumbsOf({ data }: Pick<Config, 'data'>, hash: string): string {
  return join(data, 'thumbs', hash)
}

const thumbsSwept = new WeakMap<Store, number>()

/**
 * Removes thumbnails of blobs that another machine has swept, and those above the size limit. Once a day, because it
 * reads the whole folder; the size limit is also enforced while thumbnails are written.
 */
async function sweepThumbs({ config, store }: MediaContext): Promise<void> {
  if (performance.now() - (thumbsSwept.get(store) ?? -day) < day) return
  thumbsSwept.set(store, performance.now())
  const names = await namesIn(join(config.data, 'thumbs'))
  for (let start = 0; start < names.length; start += batchSize) {
    const batch = names.slice(start, start + batchSize)
    const existing = await queries.selectKnown(store, batch)
    for (const name of batch)
      if (!existing.has(name)) await rm(thumbsOf(config, name), { recursive: true, force: true })
  }
  await evictThumbs(config)
}

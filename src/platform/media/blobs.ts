import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { fail } from '../errors.ts'
import { chunks } from '../lib/chunks.ts'
import type { Store, Tx } from '../store/store.ts'
import { evictThumbs } from './eviction.ts'
import { type Media, RemovalRefused } from './media.ts'
import * as queries from './queries.ts'
import { fileNamesIn } from './temporary.ts'

/** The part of `App` that is needed here; this folder is below `app.ts` in the layers. */
interface MediaContext {
  config: Config
  store: Store
  media: Media
}

/**
 * An unused blob stays for longer than any upload takes to become a file. A storage that has not answered may still
 * remove the bytes: until that is out of the question, they are neither used nor removed again.
 */
const sweepTimes = { unusedFor: 60 * 60_000, removingFor: 10 * 60_000 }
const batchSize = 100

/** How long an upload of the same bytes waits for a removal, from its beginning: as long as the storage may take. In ms. */
const removalTimeoutMs = 6000
const removalPollMs = 50

/**
 * Called before the bytes are stored: if the process dies before a file uses them, the row makes sure that they are
 * swept.
 */
export async function claimBlob(ctx: Pick<MediaContext, 'store'>, hash: string, size: number): Promise<void> {
  await claimBlobs(ctx, [{ hash, size }])
}

/** The same for many blobs. */
export async function claimBlobs(
  { store }: Pick<MediaContext, 'store'>,
  blobs: readonly { hash: string; size: number }[],
): Promise<void> {
  // Without duplicates and sorted: all transactions lock the rows in the same order, so they do not deadlock.
  const sizes = new Map(blobs.map(({ hash, size }) => [hash, size]))
  const sorted = [...sizes.keys()].toSorted().map(hash => ({ hash, size: sizes.get(hash)! }))
  for (;;) {
    const claim = async (tx: Tx) => {
      let found: number | undefined
      for (const batch of chunks(sorted)) found = (await queries.upsertUnused(tx, batch)) ?? found
      return found
    }
    const removingFor = await store.write(claim, { isPreparation: true })
    if (removingFor === undefined) return
    if (removingFor > removalTimeoutMs) throw fail('busy')
    await setTimeout(removalPollMs)
  }
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
export async function sweepMedia(ctx: MediaContext): Promise<void> {
  await sweepBlobs(ctx)
  await sweepThumbs(ctx)
  await ctx.media.sweep(day)
}

/**
 * Removes unused blobs and their thumbnails. Any number of processes may do it at once. The storage is not called within
 * a transaction, which could end, and its locks with it, before the bytes are removed: the row says that they are going.
 */
export async function sweepBlobs({ config, store, media }: MediaContext): Promise<void> {
  for (;;) {
    const hashes = await queries.selectUnusedBlobs(store, sweepTimes, batchSize)
    for (const hash of hashes) {
      const removal = await store.write(tx => queries.claimRemoval(tx, hash, sweepTimes))
      if (removal === undefined) continue
      // The bytes first: a row without bytes is swept again, bytes without a row would stay for ever.
      await media.remove(hash).catch(async (error: unknown) => {
        if (error instanceof RemovalRefused) await store.write(tx => queries.markUnusedAgain(tx, hash, removal))
        throw error
      })
      await store.write(tx => queries.deleteBlob(tx, hash, removal))
      await rm(thumbsOf(config, hash), { recursive: true, force: true, maxRetries: 3 }) // one may be written now
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
  const names = await fileNamesIn(join(config.data, 'thumbs'))
  for (let start = 0; start < names.length; start += batchSize) {
    const batch = names.slice(start, start + batchSize)
    const existing = await queries.selectKnown(store, batch)
    for (const name of batch)
      if (!existing.has(name)) await rm(thumbsOf(config, name), { recursive: true, force: true })
  }
  await evictThumbs(config)
}

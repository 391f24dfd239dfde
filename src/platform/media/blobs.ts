import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { chunks } from '../lib/chunks.ts'
import type { Store, Tx } from '../store/store.ts'
import { evictThumbs } from './eviction.ts'
import type { Media } from './media.ts'
import * as queries from './queries.ts'
import { namesIn } from './temporary.ts'

/** What is needed of an app: this folder comes before it. */
interface Place {
  config: Config
  store: Store
  media: Media
}

/** How long bytes are kept that nobody uses: longer than any upload takes to become a file. In milliseconds. */
const unusedFor = 60 * 60_000
const batch = 100

/** Before bytes are kept: they are known, so that whatever happens to us, somebody will sweep them. */
export async function claimBlob({ store }: Pick<Place, 'store'>, hash: string, size: number): Promise<void> {
  await store.write(tx => queries.upsertUnused(tx, hash, size))
}

/** The same of many, at once. */
export async function claimBlobs(
  { store }: Pick<Place, 'store'>,
  blobs: readonly { hash: string; size: number }[],
): Promise<void> {
  // Each once, and in one order, so that nobody waits in a circle.
  const sizes = new Map(blobs.map(({ hash, size }) => [hash, size]))
  const sorted = [...sizes.keys()].toSorted().map(hash => ({ hash, size: sizes.get(hash)! }))
  await store.write(async tx => {
    for (const some of chunks(sorted)) await queries.upsertManyUnused(tx, some)
  })
}

/** The bytes have been swept since they were claimed. Claim and keep them again. */
export class BlobGone extends Error {}

/** In the transaction of the file that has these bytes. */
export async function useBlob(tx: Tx, hash: string): Promise<void> {
  if (!(await queries.markUsed(tx, hash))) throw new BlobGone(hash)
}

/** The same of many, at once. */
export async function useBlobs(tx: Tx, hashes: readonly string[]): Promise<void> {
  for (const some of chunks([...new Set(hashes)].toSorted()))
    if ((await queries.markManyUsed(tx, some)) < some.length) throw new BlobGone(`one of ${some.length}`)
}

/** In the transaction of the files that had these bytes, after their rows have gone or changed. */
export async function releaseBlobs(tx: Tx, hashes: readonly string[]): Promise<void> {
  const sorted = [...new Set(hashes)].toSorted()
  for (let start = 0; start < sorted.length; start += batch)
    await queries.markUnused(tx, sorted.slice(start, start + batch))
}

const day = 24 * 60 * 60_000

/** Removes what has been left: bytes without a file, thumbnails without bytes, temporary files without a process. */
export async function sweepMedia(place: Place): Promise<void> {
  await sweepBlobs(place)
  await sweepThumbs(place)
  await place.media.sweep(day)
}

/** Removes bytes that nobody uses, and what was made of them. Any number of processes may do it at once. */
export async function sweepBlobs({ config, store, media }: Place): Promise<void> {
  for (;;) {
    const hashes = await queries.selectUnused(store, unusedFor, batch)
    for (const hash of hashes) {
      await store.write(async tx => {
        if (!(await queries.holdUnused(tx, hash, unusedFor))) return
        // The bytes first: a row without bytes is swept again, bytes without a row would be there for ever.
        await media.remove(hash)
        await rm(thumbsOf(config, hash), { recursive: true, force: true, maxRetries: 3 }) // one may be made just now
        await queries.deleteBlob(tx, hash)
      })
    }
    if (hashes.length < batch) return
  }
}

/** Where the smaller pictures of some bytes are, on this machine. */
export function thumbsOf({ data }: Pick<Config, 'data'>, hash: string): string {
  return join(data, 'thumbs', hash)
}

const thumbsSwept = new WeakMap<Store, number>()

/**
 * Removes thumbnails of bytes that another machine has swept, and those beyond the limit; once a day, as all of them are looked
 * at. The limit is also kept when many are made.
 */
async function sweepThumbs({ config, store }: Place): Promise<void> {
  if (performance.now() - (thumbsSwept.get(store) ?? -day) < day) return
  thumbsSwept.set(store, performance.now())
  const names = await namesIn(join(config.data, 'thumbs'))
  for (let start = 0; start < names.length; start += batch) {
    const some = names.slice(start, start + batch)
    const known = await queries.selectKnown(store, some)
    for (const name of some) if (!known.has(name)) await rm(thumbsOf(config, name), { recursive: true, force: true })
  }
  await evictThumbs(config)
}

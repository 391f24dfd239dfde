import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Media } from '../../platform/media/media.ts'
import type { Store } from '../../platform/store/store.ts'
import { type BlobRow, countBlobs, selectBlobs } from './queries.ts'

export interface MediaReport {
  blobs: number
  /** Blobs that the target had already, from an earlier run. */
  alreadyCopied: number
  copied: number
  bytes: number
  /** Hashes of blobs that files use and the source does not have. */
  missing: string[]
  /** Hashes of blobs whose bytes in the source do not match. */
  damaged: string[]
}

/** How many blobs are copied at once. */
const concurrency = 8
const batchSize = 500

/**
 * Copies all blobs from one storage to another. A blob that exists in the target with the right size is skipped, so an
 * interrupted run continues where it stopped. Every written blob is read again and compared by hash. The source is not
 * changed.
 */
export async function copyMedia(
  store: Store,
  { from, to }: { from: Media; to: Media },
  progress: (done: number, all: number) => void,
): Promise<MediaReport> {
  const all = await countBlobs(store)
  const report: MediaReport = { blobs: 0, alreadyCopied: 0, copied: 0, bytes: 0, missing: [], damaged: [] }
  for (let after = ''; ;) {
    const blobs = await selectBlobs(store, after, batchSize)
    if (blobs.length === 0) return report
    const remaining = blobs.values()
    const copyRemaining = async () => {
      for (const blob of remaining) {
        await copyOne(blob, { from, to }, report)
        progress(++report.blobs, all)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, copyRemaining))
    after = blobs.at(-1)!.hash
  }
}

async function copyOne(
  { hash, size, unused_since }: BlobRow,
  { from, to }: { from: Media; to: Media },
  report: MediaReport,
): Promise<void> {
  if ((await to.size(hash)) === size) {
    report.alreadyCopied++
    return
  }
  const source = await from.open(hash)
  if (!source) {
    // An unfinished upload has a row before it has bytes, and for an hour after its process was killed.
    if (unused_since === null) report.missing.push(hash)
    return
  }
  const received = await to.receive(source, Infinity)
  try {
    if (received.hash !== hash) {
      report.damaged.push(hash)
      return
    }
    await received.keep()
  } finally {
    await received.discard()
  }
  const written = await to.open(hash)
  if (!written || (await hashOf(written)) !== hash) throw new Error(`the storage has not kept ${hash} as it was given`)
  report.copied++
  report.bytes += size
}

async function hashOf(stream: Readable): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of stream) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

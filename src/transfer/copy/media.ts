import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Media } from '../../platform/media/media.ts'
import type { Store } from '../../platform/store/store.ts'
import { countBlobs, selectBlobs } from './queries.ts'

export interface MediaReport {
  /** All that is known, and how much of it was there from an earlier run. */
  blobs: number
  found: number
  copied: number
  bytes: number
  /** Hashes of bytes that the source does not have, or has in another form than it should. */
  missing: string[]
  damaged: string[]
}

const parallel = 8
const batch = 500

/**
 * Bytes of all files from one storage to another. Whatever is there in its right size is left alone, so that a run that was
 * stopped goes on where it was. What was written is read again and compared by its hash. The source is not changed.
 */
export async function copyMedia(
  store: Store,
  { from, to }: { from: Media; to: Media },
  progress: (done: number, all: number) => void,
): Promise<MediaReport> {
  const all = await countBlobs(store)
  const report: MediaReport = { blobs: 0, found: 0, copied: 0, bytes: 0, missing: [], damaged: [] }
  for (let after = ''; ;) {
    const blobs = await selectBlobs(store, after, batch)
    if (blobs.length === 0) return report
    const rest = blobs.values()
    const copyNext = async () => {
      for (const blob of rest) {
        await copyOne(blob, { from, to }, report)
        progress(++report.blobs, all)
      }
    }
    await Promise.all(Array.from({ length: parallel }, copyNext))
    after = blobs.at(-1)!.hash
  }
}

async function copyOne(
  { hash, size }: { hash: string; size: number },
  { from, to }: { from: Media; to: Media },
  report: MediaReport,
): Promise<void> {
  if ((await to.size(hash)) === size) {
    report.found++
    return
  }
  const source = await from.open(hash)
  if (!source) {
    report.missing.push(hash)
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
  for await (const piece of stream) hash.update(piece as Buffer)
  return hash.digest('hex')
}

import { access, type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { writeBlobs, threadThreshold, openBlobWriter, blobPath } from './blob-writer.ts'
import { isHash, type Media, mustBeHash, type Range, RemovalRefused } from './media.ts'
import { ignoreMissing, fileNamesIn, openTemporary } from './temporary.ts'

/** Blobs in a folder: `ab/ab12…`. A file gets its name only when it is complete. */
export function openDisk(folder: string): Media {
  const temporary = openTemporary(join(folder, 'tmp'))

  function checkedPath(hash: string): string {
    mustBeHash(hash)
    return blobPath(folder, hash)
  }
  let blobWriter: ReturnType<typeof openBlobWriter> | undefined
  const getBlobWriter = () => (blobWriter ??= openBlobWriter(folder, () => (blobWriter = undefined)))

  return {
    receive: (source, limit) =>
      temporary.receive(source, limit, async ({ hash, path, size }) => {
        const target = checkedPath(hash)
        // Another upload may have stored it a moment ago. A file of another size is damaged: it is replaced.
        if ((await stat(target).catch(ignoreMissing))?.size === size) return syncFolder(dirname(target))
        const isNew = (await mkdir(dirname(target), { recursive: true, mode: 0o700 })) !== undefined
        await sync(path, 'r+')
        await rename(path, target)
        const folders = isNew ? [dirname(target), folder, dirname(folder)] : [dirname(target)]
        for (const changed of folders) await syncFolder(changed)
      }),

    async keepAll(blobs) {
      for (const { hash } of blobs) mustBeHash(hash)
      // A file that the worker thread has renamed may not be on the disk yet: while it runs, it writes all blobs.
      if (!blobWriter && blobs.length < threadThreshold) writeBlobs(folder, blobs)
      else await getBlobWriter()(blobs)
    },

    async open(hash, range) {
      const file = await open(checkedPath(hash)).catch(ignoreMissing)
      return file && readFrom(file, range)
    },

    async borrow(hash, work) {
      const path = checkedPath(hash)
      return (await access(path).then(() => true, ignoreMissing)) ? work(path) : undefined
    },

    async size(hash) {
      return (await stat(checkedPath(hash)).catch(ignoreMissing))?.size
    },

    async remove(hash) {
      await rm(checkedPath(hash), { force: true }).catch((error: NodeJS.ErrnoException) => {
        throw new RemovalRefused(error.message, { cause: error })
      })
    },

    async *list() {
      for (const part of await fileNamesIn(folder))
        if (/^[0-9a-f]{2}$/.test(part)) yield* (await fileNamesIn(join(folder, part))).filter(isHash)
    },

    // The folder is created with the first blob; the check of the database covers whether the disk is writable.
    check: async () => {},
    checkWritable: async () => {},

    sweep: olderThan => temporary.sweep(olderThan),
  }
}

/** The stream closes the file, however it ends. */
export function readFrom(file: FileHandle, range?: Range): Readable {
  return file.createReadStream({ ...range, highWaterMark: 256 * 1024 })
}

/** A rename is durable only when its folder is synced. Windows does that by itself and cannot fsync a folder. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform !== 'win32') await sync(folder, 'r')
}

async function sync(path: string, flags: string): Promise<void> {
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

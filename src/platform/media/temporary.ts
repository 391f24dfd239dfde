import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createId } from '../lib/id.ts'
import type { Patch } from './location/source.ts'
import { type Received, TooLarge } from './media.ts'

/** How many of the first bytes are used to detect the type of a file. */
const headSize = 4100

/** Files that are being written, under random names. Those that a crash leaves behind are swept. */
export interface Temporary {
  /** A new path in the folder. */
  path(): Promise<string>
  receive(
    source: AsyncIterable<Uint8Array>,
    limit: number,
    keep: (received: { hash: string; size: number; path: string }) => Promise<void>,
  ): Promise<Received>
  sweep(olderThan: number): Promise<void>
}

export function openTemporary(folder: string): Temporary {
  async function path(): Promise<string> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return join(folder, createId(20))
  }
  return {
    path,
    async receive(source, limit, keep) {
      return received(await write(await path(), source, limit), keep)
    },
    async sweep(olderThan) {
      for (const name of await fileNamesIn(folder)) {
        const file = join(folder, name)
        const { mtimeMs } = (await stat(file).catch(ignoreMissing)) ?? { mtimeMs: Infinity }
        if (mtimeMs < Date.now() - olderThan) await rm(file, { force: true })
      }
    },
  }
}

type WrittenFile = Pick<Received, 'path' | 'size' | 'head' | 'hash'>

function received(written: WrittenFile, keep: (written: WrittenFile) => Promise<void>): Received {
  const discard = () => rm(written.path, { force: true })
  return {
    ...written,
    discard,
    async keep() {
      await keep(written)
      await discard()
    },
    patch: async patches => received(await patched(written, patches), keep),
  }
}

async function patched({ path, size }: WrittenFile, patches: readonly Patch[]): Promise<WrittenFile> {
  const file = await open(path, 'r+')
  try {
    for (const { at, bytes } of patches) await writeAll(file, bytes, at)
    const hash = createHash('sha256')
    let head: Buffer = Buffer.alloc(0)
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>) {
      hash.update(chunk)
      if (head.length < headSize) head = Buffer.concat([head, chunk.subarray(0, headSize - head.length)])
    }
    return { path, size, head: Uint8Array.from(head), hash: hash.digest('hex') }
  } finally {
    await file.close()
  }
}

async function write(path: string, source: AsyncIterable<Uint8Array>, limit: number) {
  const file = await open(path, 'wx', 0o600)
  try {
    const hash = createHash('sha256')
    const { size, head } = await copy(file, source, limit, hash)
    return { path, size, head, hash: hash.digest('hex') }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

async function copy(file: FileHandle, source: AsyncIterable<Uint8Array>, limit: number, hash: Hash) {
  const beginning: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    if (size < headSize) beginning.push(Uint8Array.from(chunk.subarray(0, headSize - size)))
    size += chunk.length
    if (size > limit) throw new TooLarge(limit)
    hash.update(chunk)
    await writeAll(file, chunk)
  }
  return { size, head: Uint8Array.from(Buffer.concat(beginning)) }
}

/** One write may take fewer bytes than it is given, for example on a disk that is nearly full. */
export async function writeAll(file: FileHandle, bytes: Uint8Array, at?: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const place = at === undefined ? null : at + done
    done += (await file.write(bytes, done, bytes.length - done, place)).bytesWritten
  }
}

export async function fileNamesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ignoreMissing)) ?? []
}

/** For files that may not exist (any more). */
export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
  return undefined
}

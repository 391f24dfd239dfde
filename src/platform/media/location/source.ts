import type { FileHandle } from 'node:fs/promises'

/** Random access to bytes, without loading all of them. */
export interface ByteSource {
  size: number
  /** Returns fewer bytes at the end of the source. */
  read(at: number, length: number): Promise<Buffer>
}

/** Bytes that overwrite those at an offset. */
export interface Patch {
  at: number
  bytes: Buffer
}

export function memorySource(bytes: Buffer): ByteSource {
  return { size: bytes.length, read: async (at, length) => bytes.subarray(at, at + length) }
}

const windowSize = 64 * 1024

/** Reads ahead, because parsers ask for many small parts. */
export function fileSource(file: FileHandle, size: number): ByteSource {
  let window: { at: number; bytes: Buffer } = { at: 0, bytes: Buffer.alloc(0) }
  return {
    size,
    async read(at, length) {
      const readable = Math.max(Math.min(length, size - at), 0)
      const isBuffered = at >= window.at && at + readable <= window.at + window.bytes.length
      if (!isBuffered)
        window = { at, bytes: await readAt(file, at, Math.min(Math.max(readable, windowSize), size - at)) }
      return window.bytes.subarray(at - window.at, at - window.at + readable)
    },
  }
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.max(length, 0))
  let done = 0
  for (let count = 1; count > 0 && done < bytes.length; done += count)
    count = (await file.read(bytes, done, bytes.length - done, at + done)).bytesRead
  return bytes.subarray(0, done)
}

/** A part of a source, as a source of its own. */
export function partOfSource(source: ByteSource, start: number, size: number): ByteSource {
  const length = Math.max(Math.min(size, source.size - start), 0)
  return {
    size: length,
    read: (at, count) => source.read(start + at, Math.max(Math.min(count, length - at), 0)),
  }
}

export const shiftPatches = (patches: readonly Patch[], by: number): Patch[] =>
  patches.map(({ at, bytes }) => ({ at: at + by, bytes }))

/** Applies the patches to a chunk that begins at `start`. */
export function applyPatches(patches: readonly Patch[], chunk: Buffer, start = 0): void {
  for (const { at, bytes } of patches) {
    const [from, to] = [Math.max(at, start), Math.min(at + bytes.length, start + chunk.length)]
    if (from < to) bytes.copy(chunk, from - start, from - at, to - at)
  }
}

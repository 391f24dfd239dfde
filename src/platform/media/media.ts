import type { Readable } from 'node:stream'
import type { Patch } from './location/source.ts'

/** Received bytes that are not stored yet: they are in a temporary file. */
export interface Received {
  /** SHA-256, hex: the key of the blob. */
  hash: string
  size: number
  /** The first 4,100 bytes, to detect the type of the file. */
  head: Uint8Array
  /** The temporary file, for checks that need all bytes. Deleted by `keep` and `discard`. */
  path: string
  /**
   * Stores the bytes. When it resolves, they survive a power failure. An existing blob of the same size is not
   * rewritten.
   */
  keep(): Promise<void>
  discard(): Promise<void>
  /** The same bytes with the patches applied; hash and head are those of the result. */
  patch(patches: readonly Patch[]): Promise<Received>
}

/** A blob in memory. */
export interface Blob {
  hash: string
  bytes: Uint8Array
}

/** Positions of the first and the last byte, both included. */
export interface Range {
  start: number
  end: number
}

/** Blobs by their hash: on disk, or in S3-compatible storage. The database has the files that use them (`blobs.ts`). */
export interface Media {
  /** Streams the bytes to a temporary file, never all of them in memory. Throws `TooLarge` above `limit` bytes. */
  receive(source: AsyncIterable<Uint8Array>, limit: number): Promise<Received>
  /** Stores many small blobs that are in memory. When it resolves, they survive a power failure. */
  keepAll(blobs: readonly Blob[]): Promise<void>
  /** Undefined if there is no such blob. The caller must read the stream to its end or destroy it. */
  open(hash: string, range?: Range): Promise<Readable | undefined>
  /**
   * Passes a file with these bytes to `work`, which must not write to it or use it afterwards. Undefined if there is no
   * such blob.
   */
  borrow<Value>(hash: string, work: (path: string) => Promise<Value>): Promise<Value | undefined>
  size(hash: string): Promise<number | undefined>
  /** Rejects with `RemovalRefused` if the bytes stay; after any other error they may still be removed, even later. */
  remove(hash: string): Promise<void>
  /** The hashes of all blobs; other files in the same place are ignored. */
  list(): AsyncIterable<string>
  /** Throws `MediaUnavailable`, with the reason in one line, if the storage cannot be used. Writes nothing. */
  check(): Promise<void>
  /** The same, and tries what only reading does not show: writes, reads and deletes a small object of its own. */
  checkWritable(): Promise<void>
  /** Removes temporary files older than this many milliseconds, which a crash left behind. */
  sweep(olderThan: number): Promise<void>
}

/** The storage cannot be used: it is unreachable, or refuses the configured keys. */
export class MediaUnavailable extends Error {}

export class RemovalRefused extends Error {}

export class TooLarge extends Error {
  readonly limit: number

  constructor(limit: number) {
    super(`there are more than ${limit} bytes`)
    this.name = 'TooLarge'
    this.limit = limit
  }
}

/** Paths and keys are made of hashes, so anything else is refused. */
export function mustBeHash(text: string): void {
  if (!isHash(text)) throw new Error('not a SHA-256')
}

export const isHash = (text: string) => /^[0-9a-f]{64}$/.test(text)

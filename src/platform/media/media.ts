import type { Readable } from 'node:stream'
import type { Patch } from './location/source.ts'

/** Bytes that have arrived and are not kept yet: they lie in a temporary file. */
export interface Received {
  /** SHA-256, hex: what they are known by. */
  hash: string
  size: number
  /** The first 4,100 bytes, to tell what they are. */
  head: Uint8Array
  /** The temporary file, for whoever must look at all of them. Gone after `keep` and `discard`. */
  path: string
  /** When it resolves, they will be there after a power cut, too. What is there already stays as it is. */
  keep(): Promise<void>
  discard(): Promise<void>
  /** The same with these bytes written over what is there; hash and beginning are those of the result. */
  patch(patches: readonly Patch[]): Promise<Received>
}

/** Bytes in memory, and what they are known by. */
export interface Blob {
  hash: string
  bytes: Uint8Array
}

/** From the first to the last byte, both included. */
export interface Range {
  start: number
  end: number
}

/** Bytes by their hash: on disk, or in S3-compatible storage. What belongs to whom is in the store (`blobs.ts`). */
export interface Media {
  /** Takes them in piece by piece, never whole in memory. Throws `TooLarge` as soon as there are more than `limit`. */
  receive(source: AsyncIterable<Uint8Array>, limit: number): Promise<Received>
  /** Keeps small ones that are at hand, many at once. When it resolves, they will be there after a power cut, too. */
  keepAll(blobs: readonly Blob[]): Promise<void>
  /** Undefined if they are not there. Whoever opens reads to the end or destroys. */
  open(hash: string, range?: Range): Promise<Readable | undefined>
  /** A file with these bytes, for as long as the work takes; nobody writes to it. Undefined if they are not there. */
  borrow<Value>(hash: string, work: (path: string) => Promise<Value>): Promise<Value | undefined>
  size(hash: string): Promise<number | undefined>
  remove(hash: string): Promise<void>
  /** The hashes of all that is kept; whatever else somebody has put there is left alone. */
  list(): AsyncIterable<string>
  /** Throws `MediaUnavailable` if bytes can be neither read nor written, with the reason in one line. */
  check(): Promise<void>
  /** Removes temporary files older than this many milliseconds, which a crash has left. */
  sweep(olderThan: number): Promise<void>
}

/** The storage cannot be used: it cannot be reached, or refuses what the settings say. */
export class MediaUnavailable extends Error {}

export class TooLarge extends Error {
  readonly limit: number

  constructor(limit: number) {
    super(`there are more than ${limit} bytes`)
    this.name = 'TooLarge'
    this.limit = limit
  }
}

/** Names of files and keys are made of hashes, so nothing else may pass for one. */
export function mustBeHash(text: string): void {
  if (!isHash(text)) throw new Error('not a SHA-256')
}

export const isHash = (text: string) => /^[0-9a-f]{64}$/.test(text)

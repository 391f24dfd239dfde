import { createHash, hash as hashOf } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { App } from '../app.ts'
import { ApiError } from '../errors.ts'
import { dimensionsOf } from '../files/incoming.ts'
import { extensionMustBeHarmless, mimeMustBeHarmless } from '../files/rules.ts'
import { niceSize } from '../files/size.ts'
import { detect, mimeFor } from '../files/sniff.ts'
import { mimeOf, typeOf } from '../files/types.ts'
import { claimBlobs } from '../media/blobs.ts'
import type { Blob, Received } from '../media/media.ts'
import type { FoundFile } from './folder.ts'
import { hasHeader, readHeader } from './header.ts'
import type { FileRow } from './queries.ts'
import { type Report, skip } from './report.ts'
import type { Opened, Source } from './source.ts'

type Kind = Pick<FileRow, 'extension' | 'type' | 'mime' | 'width' | 'height'>

/** A file whose bytes are kept, or were there already. */
export interface Prepared {
  found: FoundFile
  hash: string
  size: number
  modified: number
  /** Missing where the same bytes were there under the same name. */
  kind: Kind | undefined
}

export interface Preparing {
  app: App
  source: Source
  report: Report
  dryRun: boolean
}

const atOnce = 8

/** What is at most this large is read at once, until so much of it waits to be kept. In bytes. */
const small = { one: 512 * 1024, all: 8 * 1024 * 1024 }

interface Taken {
  prepared: Prepared
  /** Bytes that are still to be kept: in memory, or in a temporary file. */
  blob?: Blob
  received?: Received
}

/** The files of a batch, and how to keep their bytes: before the transaction that needs them. */
export interface PreparedFiles {
  files: ReadonlyMap<FoundFile, Prepared>
  keep: () => Promise<void>
}

/**
 * Looks at the bytes of files that are new or have changed. `known` is what there is by the same names. What is refused is
 * reported.
 */
export async function prepareFiles(
  run: Preparing,
  files: readonly { found: FoundFile; known: FileRow | undefined }[],
): Promise<PreparedFiles> {
  const taken: Taken[] = []
  let room = small.all
  await inParallel(files, async ({ found, known }, index) => {
    if (index % 20 === 0) await setImmediate() // the store may have an answer
    const one = (run.dryRun ? undefined : takeSmall(run, found, known, room)) ?? (await takeIn(run, found, known))
    if (one) taken.push(one)
    room -= one?.blob?.bytes.length ?? 0
  })
  return {
    files: new Map(taken.map(({ prepared }) => [prepared.found, prepared])),
    keep: async () => (run.dryRun ? undefined : keep(run.app, taken)),
  }
}

async function keep(app: App, taken: readonly Taken[]): Promise<void> {
  const [blobs, received] = [taken.flatMap(({ blob }) => blob ?? []), taken.flatMap(one => one.received ?? [])]
  const sizes = blobs.map(({ hash, bytes }) => ({ hash, size: bytes.length }))
  if (sizes.length + received.length > 0) await claimBlobs(app, [...sizes, ...received])
  await app.media.keepAll(blobs)
  await inParallel(received, one => one.keep())
}

/** A picture whose size stands at its beginning, as most do. Undefined for all else. */
function takeSmall(
  { app, source }: Preparing,
  found: FoundFile,
  known: FileRow | undefined,
  room: number,
): Taken | undefined {
  const { maxPixels, maxSize } = app.config.files
  const extension = extensionOf(found.name)
  if (!hasHeader(extension)) return undefined
  const read = source.small(found.file, Math.min(small.one, room, maxSize))
  const header = read && readHeader(read.bytes)
  if (!header || header.mime !== mimeOf(extension) || header.width * header.height > maxPixels) return undefined
  const { bytes, modified } = read
  const { mime, width, height } = header
  const hash = hashOf('sha256', bytes)
  const base = { found, hash, size: bytes.length, modified }
  if (known?.hash === hash) return { prepared: { ...base, kind: undefined } }
  const kind = { extension, type: typeOf(extension), mime, width, height }
  return { prepared: { ...base, kind }, blob: { hash, bytes } }
}

async function takeIn(run: Preparing, found: FoundFile, known: FileRow | undefined): Promise<Taken | undefined> {
  const { app, source, report, dryRun } = run
  const { maxSize } = app.config.files
  const opened = await source.open(found.file)
  if (!opened) return undefined
  try {
    const { size, modified } = opened
    if (size > maxSize) {
      skip(report, found.file, `this is larger than ${niceSize(maxSize, 'en')} (files.maxSize)`)
      return undefined
    }
    const base = { found, size, modified }
    if (known?.size === size) {
      const { hash } = await look(opened)
      if (hash === known.hash) return { prepared: { ...base, hash, kind: undefined } }
    }
    const received = dryRun ? await look(opened) : await app.media.receive(bytesOf(opened), maxSize)
    const kind = await kindOf(app, found, received).catch(async (error: unknown) => {
      await received.discard()
      if (!(error instanceof ApiError)) throw error
      skip(report, found.file, error.message)
    })
    return kind ? { prepared: { ...base, size: received.size, hash: received.hash, kind }, received } : undefined
  } finally {
    await opened.file.close()
  }
}

function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase()
}

/** What could harm is refused, as from everybody else. Whether a blueprint would take it is not asked: it is there already. */
async function kindOf(app: App, { name }: FoundFile, received: Received): Promise<Kind> {
  const extension = extensionOf(name)
  extensionMustBeHarmless(name, extension)
  const mime = mimeFor(name, extension, await detect(received.head))
  mimeMustBeHarmless(name, mime)
  const dimensions = await dimensionsOf(app, { filename: name, extension, mime }, received, 'en')
  return { extension, type: typeOf(extension), mime, width: null, height: null, ...dimensions }
}

const pieceSize = 256 * 1024

async function* bytesOf({ file, size }: Opened): AsyncGenerator<Uint8Array> {
  const piece = Buffer.allocUnsafe(Math.min(Math.max(size, 1), pieceSize))
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(piece, 0, piece.length, at)
    if (bytesRead === 0) return
    yield piece.subarray(0, bytesRead)
    at += bytesRead
    if (at >= size && size > 0) return
  }
}

const headSize = 4100
const nothing = async () => {}

/** As if they had been received; they stay where they are. */
async function look(opened: Opened): Promise<Received> {
  const hash = createHash('sha256')
  let head = Buffer.alloc(0)
  for await (const piece of bytesOf(opened)) {
    hash.update(piece)
    if (head.length < headSize) head = Buffer.concat([head, piece.subarray(0, headSize - head.length)])
  }
  const { size, path } = opened
  return { hash: hash.digest('hex'), size, head, path, keep: nothing, discard: nothing }
}

async function inParallel<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<unknown>,
): Promise<void> {
  const rest = items.entries()
  const workers = Array.from({ length: atOnce }, async () => {
    for (const [index, item] of rest) await work(item, index)
  })
  await Promise.all(workers)
}

import { createHash } from 'node:crypto'
import type { App } from '../app.ts'
import { ApiError } from '../errors.ts'
import { dimensionsOf } from '../files/incoming.ts'
import { extensionMustBeHarmless, mimeMustBeHarmless } from '../files/rules.ts'
import { niceSize } from '../files/size.ts'
import { detect, mimeFor } from '../files/sniff.ts'
import { typeOf } from '../files/types.ts'
import { claimBlobs } from '../media/blobs.ts'
import type { Received } from '../media/media.ts'
import type { FoundFile } from './folder.ts'
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

/**
 * Takes in the bytes of files that are new or have changed, before the transaction that needs them. `known` is what there is
 * by the same names. What is refused is reported.
 */
export async function prepareFiles(
  run: Preparing,
  files: readonly { found: FoundFile; known: FileRow | undefined }[],
): Promise<Map<FoundFile, Prepared>> {
  const taken: { prepared: Prepared; received: Received | undefined }[] = []
  await inParallel(files, async ({ found, known }) => {
    const one = await takeIn(run, found, known)
    if (one) taken.push(one)
  })
  const received = taken.flatMap(one => one.received ?? [])
  if (received.length > 0 && !run.dryRun) {
    await claimBlobs(run.app, received)
    await inParallel(received, one => one.keep())
  }
  return new Map(taken.map(({ prepared }) => [prepared.found, prepared]))
}

async function takeIn(run: Preparing, found: FoundFile, known: FileRow | undefined) {
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
      if (hash === known.hash) return { prepared: { ...base, hash, kind: undefined }, received: undefined }
    }
    const received = dryRun ? await look(opened) : await app.media.receive(bytesOf(opened), maxSize)
    const kind = await kindOf(app, found, received).catch(async (error: unknown) => {
      await received.discard()
      if (!(error instanceof ApiError)) throw error
      skip(report, found.file, error.message)
    })
    return kind && { prepared: { ...base, size: received.size, hash: received.hash, kind }, received }
  } finally {
    await opened.file.close()
  }
}

/** What could harm is refused, as from everybody else. Whether a blueprint would take it is not asked: it is there already. */
async function kindOf(app: App, { name }: FoundFile, received: Received): Promise<Kind> {
  const dot = name.lastIndexOf('.')
  const extension = dot < 0 ? '' : name.slice(dot + 1).toLowerCase()
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

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const rest = items.values()
  const workers = Array.from({ length: atOnce }, async () => {
    for (const item of rest) await work(item)
  })
  await Promise.all(workers)
}

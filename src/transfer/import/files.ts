import { createHash, hash as hashOf } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { App } from '../../app.ts'
import { ApiError } from '../../platform/errors.ts'
import { hasLocation, inspect } from '../../groups/files/upload.ts'
import { extensionMustBeHarmless, mimeMustBeHarmless } from '../../groups/files/rules.ts'
import { niceSize } from '../../groups/files/size.ts'
import { detect, mimeFor } from '../../groups/files/sniff.ts'
import { mimeOf, typeOf } from '../../groups/files/types.ts'
import { claimBlobs } from '../../platform/media/blobs.ts'
import { locationPatches } from '../../platform/media/location/location.ts'
import { applyPatches, fileSource, memorySource, type Patch } from '../../platform/media/location/source.ts'
import type { Blob, Received } from '../../platform/media/media.ts'
import type { FoundFile } from './folder.ts'
import { hasHeader, readHeader } from './header.ts'
import type { ExistingFile } from './queries.ts'
import { note, type ImportReport, skip } from './report.ts'
import type { Opened, ImportSource } from './source.ts'

type FileKind = Pick<ExistingFile, 'extension' | 'type' | 'mime' | 'width' | 'height'>

/** A file whose blob is stored or ready to be stored. */
export interface Prepared {
  found: FoundFile
  hash: string
  size: number
  modified: number
  /** Undefined if the file already exists with the same bytes. */
  kind: FileKind | undefined
  /** The blob was missing, and is stored again. */
  isHealed?: boolean
}

export interface PrepareContext {
  app: App
  source: ImportSource
  report: ImportReport
  dryRun: boolean
}

const concurrency = 8

/** Limits in bytes: files of up to `one` are read into memory, until `all` bytes wait to be stored. */
const memoryLimits = { one: 512 * 1024, all: 8 * 1024 * 1024 }

interface ReadFile {
  prepared: Prepared
  /** Bytes that are not stored yet: in memory, or in a temporary file. */
  blob?: Blob
  received?: Received
}

/** The files of a batch. `store` stores their blobs; call it before the transaction that needs them. */
export interface PreparedFiles {
  files: ReadonlyMap<FoundFile, Prepared>
  store: () => Promise<void>
}

/**
 * Reads the bytes of files that are new or have changed. `existing` is the row with the same name. Refused files
 * are reported.
 */
export async function prepareFiles(
  run: PrepareContext,
  files: readonly { found: FoundFile; existing: ExistingFile | undefined }[],
): Promise<PreparedFiles> {
  const readFiles: ReadFile[] = []
  let freeBytes = memoryLimits.all
  await inParallel(files, async ({ found, existing }, index) => {
    if (index % 20 === 0) await setImmediate() // yields to the event loop, for results of the database
    const one =
      (run.dryRun ? undefined : await readSmall(run, found, existing, freeBytes)) ??
      (await readFile(run, found, existing))
    if (one) readFiles.push(one)
    freeBytes -= one?.blob?.bytes.length ?? 0
  })
  return {
    files: new Map(readFiles.map(({ prepared }) => [prepared.found, prepared])),
    store: async () => (run.dryRun ? undefined : storeBlobs(run.app, readFiles)),
  }
}

async function storeBlobs(app: App, readFiles: readonly ReadFile[]): Promise<void> {
  const [blobs, received] = [readFiles.flatMap(({ blob }) => blob ?? []), readFiles.flatMap(one => one.received ?? [])]
  const sizes = blobs.map(({ hash, bytes }) => ({ hash, size: bytes.length }))
  if (sizes.length + received.length > 0) await claimBlobs(app, [...sizes, ...received])
  await app.media.keepAll(blobs)
  await inParallel(received, one => one.keep())
}

/** The fast path for small images with a plain header, as most have. Undefined for any other file. */
async function readSmall(
  { app, source }: PrepareContext,
  found: FoundFile,
  existing: ExistingFile | undefined,
  freeBytes: number,
): Promise<ReadFile | undefined> {
  const { maxPixels, maxSize } = app.config.files
  const extension = extensionOf(found.name)
  if (!hasHeader(extension)) return undefined
  const read = source.small(found.file, Math.min(memoryLimits.one, freeBytes, maxSize))
  const header = read && readHeader(read.bytes)
  if (!header || header.mime !== mimeOf(extension) || header.width * header.height > maxPixels) return undefined
  const { bytes, modified } = read
  const { mime, width, height } = header
  if (hasLocation(app, { mime })) applyPatches(await locationPatches(memorySource(bytes)), bytes)
  const hash = hashOf('sha256', bytes)
  const base = { found, hash, size: bytes.length, modified }
  if (existing?.hash === hash) {
    const isHealed = (await app.media.size(hash)) !== bytes.length
    return { prepared: { ...base, kind: undefined, isHealed }, ...(isHealed && { blob: { hash, bytes } }) }
  }
  const kind = { extension, type: typeOf(extension), mime, width, height }
  return { prepared: { ...base, kind }, blob: { hash, bytes } }
}

async function readFile(
  run: PrepareContext,
  found: FoundFile,
  existing: ExistingFile | undefined,
): Promise<ReadFile | undefined> {
  const { app, source, report } = run
  const { maxSize } = app.config.files
  const opened = await source.open(found.file)
  if (!opened) return undefined
  try {
    if (opened.size <= maxSize) return await readOpened(run, found, existing, await patchesFor(app, found, opened))
    skip(report, found.file, `this is larger than ${niceSize(maxSize, 'en')} (files.maxSize)`)
    return undefined
  } finally {
    await opened.file.close()
  }
}

/** A file that is read without the GPS position in an image. */
interface PatchedFile extends Opened {
  patches: readonly Patch[]
}

async function patchesFor(app: App, { name }: FoundFile, opened: Opened): Promise<PatchedFile> {
  const mime = mimeOf(extensionOf(name)) ?? ''
  const patches = hasLocation(app, { mime }) ? await locationPatches(fileSource(opened.file, opened.size)) : []
  return { ...opened, patches }
}

async function readOpened(
  { app, report, dryRun }: PrepareContext,
  found: FoundFile,
  existing: ExistingFile | undefined,
  opened: PatchedFile,
): Promise<ReadFile | undefined> {
  const { size, modified } = opened
  const base = { found, modified }
  const isKept = async (hash: string, length: number) => dryRun || (await app.media.size(hash)) === length
  if (existing?.size === size) {
    const { hash } = await hashFile(opened)
    if (hash === existing.hash && (await isKept(hash, size)))
      return { prepared: { ...base, size, hash, kind: undefined } }
  }
  const received = dryRun ? await hashFile(opened) : await app.media.receive(bytesOf(opened), app.config.files.maxSize)
  const inside = await kindOf(app, found, received).catch(async (error: unknown) => {
    await received.discard()
    if (!(error instanceof ApiError)) throw error
    skip(report, found.file, error.message)
  })
  if (!inside) return undefined
  const { kind, text } = inside
  const cleaned = text === undefined ? undefined : Buffer.from(text)
  const { hash, size: length } = cleaned ? { hash: hashOf('sha256', cleaned), size: cleaned.length } : received
  if (cleaned) await received.discard()
  const bytes = cleaned ? { blob: { hash, bytes: cleaned } } : { received }
  if (existing?.hash === hash) {
    const prepared = { ...base, size: length, hash, kind: undefined }
    if (!(await isKept(hash, length))) return { prepared: { ...prepared, isHealed: true }, ...bytes }
    await received.discard()
    return { prepared }
  }
  reportKind(report, found, kind, cleaned !== undefined)
  return { prepared: { ...base, size: length, hash, kind }, ...bytes }
}

/** Reports a type that does not match the extension, and a cleaned SVG. */
function reportKind(
  report: ImportReport,
  { file }: FoundFile,
  { extension, mime }: FileKind,
  isCleaned: boolean,
): void {
  const expected = mimeOf(extension)
  if (mime.startsWith('image/') && expected?.startsWith('image/') && mime !== expected)
    note(report, file, `this is ${mime}, whatever its name says; it keeps its name`)
  if (isCleaned) note(report, file, 'what browsers do not need was removed from this SVG')
}

function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase()
}

/**
 * Refuses harmful files, as uploads do. Does not check whether a blueprint accepts the file: it is already part of the
 * site.
 */
async function kindOf(
  app: App,
  { name }: FoundFile,
  received: Received,
): Promise<{ kind: FileKind; text: string | undefined }> {
  const extension = extensionOf(name)
  extensionMustBeHarmless(name, extension)
  const mime = mimeFor(name, extension, await detect(received.head))
  mimeMustBeHarmless(name, mime)
  const { dimensions, text } = await inspect(app, { filename: name, extension, mime }, received, 'en')
  return { kind: { extension, type: typeOf(extension), mime, width: null, height: null, ...dimensions }, text }
}

const pieceSize = 256 * 1024

async function* bytesOf({ file, size, patches }: PatchedFile): AsyncGenerator<Uint8Array> {
  const piece = Buffer.allocUnsafe(Math.min(Math.max(size, 1), pieceSize))
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(piece, 0, piece.length, at)
    if (bytesRead === 0) return
    applyPatches(patches, piece.subarray(0, bytesRead), at)
    yield piece.subarray(0, bytesRead)
    at += bytesRead
    if (at >= size && size > 0) return
  }
}

const headSize = 4100
const noop = async () => {}

/** Hashes the bytes in the form of an upload, but leaves the file where it is. */
async function hashFile(opened: PatchedFile): Promise<Received> {
  const hash = createHash('sha256')
  let head = Buffer.alloc(0)
  for await (const piece of bytesOf(opened)) {
    hash.update(piece)
    if (head.length < headSize) head = Buffer.concat([head, piece.subarray(0, headSize - head.length)])
  }
  const { size, path } = opened
  const received: Received = {
    hash: hash.digest('hex'),
    size,
    head,
    path,
    keep: noop,
    discard: noop,
    patch: async () => received,
  }
  return received
}

async function inParallel<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<unknown>,
): Promise<void> {
  const rest = items.entries()
  const workers = Array.from({ length: concurrency }, async () => {
    for (const [index, item] of rest) await work(item, index)
  })
  await Promise.all(workers)
}

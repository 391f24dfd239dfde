import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { App } from '../../app.ts'
import { ApiError, fail } from '../../platform/errors.ts'
import type { FormLimits, Upload } from '../../http/upload.ts'
import { BlobGone, claimBlob } from '../../platform/media/blobs.ts'
import { withoutLocation } from '../../platform/media/location/remove.ts'
import { type Received, TooLarge } from '../../platform/media/media.ts'
import { cleanSvg } from './clean-svg.ts'
import type { Bytes, FileRow, NewFile } from './files.ts'
import { uploadQuotaOf } from './upload-quota.ts'
import { checkMarkup, type Root, UnsafeMarkup } from './markup.ts'
import { joined, safeName } from './names.ts'
import { type Dimensions, isReadable, measure, measureSvg, transformImage, processingOf } from './images.ts'
import { extensionMustBeHarmless, mimeMustBeHarmless, nameMustBePossible, problemWith } from './rules.ts'
import { niceSize } from './size.ts'
import { detect, mimeFor } from './sniff.ts'
import { extensionOf, typeOf } from './types.ts'

/** Received bytes, and the file name that the client sent. */
export interface UploadedFile {
  clientName: string
  received: Received
}

export interface FormOptions {
  files: number
  /** The uploading account. */
  user: { id: string; language: string }
  /** Called before the first byte is read; throws if a file of this name is never accepted. */
  checkName?: (clientName: string) => void
}

/** Reads an upload form, passes its files and fields to `work`, and discards the temporary files in any case. */
export async function withForm<Value>(
  app: App,
  upload: Upload,
  { files, user, checkName }: FormOptions,
  work: (uploads: UploadedFile[], fields: Map<string, string>) => Promise<Value>,
): Promise<Value> {
  const { maxSize } = app.config.files
  const received: UploadedFile[] = []
  const tooLarge = () => fail('file.maxsize', { max: niceSize(maxSize, user.language) })
  const limits: FormLimits = { files, size: maxSize, tooLarge }
  const form = uploadQuotaOf(app).start(user.id)
  try {
    /** In the order of the form; those that end later may have begun earlier. */
    const inOrder: UploadedFile[] = []
    let count = 0
    const fields = await upload.read(limits, async ({ filename, bytes }) => {
      const index = count++
      checkName?.(filename)
      try {
        const one = { clientName: filename, received: await app.media.receive(form.counted(bytes), maxSize) }
        received.push(one)
        inOrder[index] = one
      } catch (error) {
        throw error instanceof TooLarge ? tooLarge() : error
      }
    })
    if (received.length === 0) throw fail('upload.noFiles')
    return await work(inOrder, fields)
  } finally {
    await Promise.all(received.map(one => one.received.discard()))
    form.end()
  }
}

/** Checks the name only. A file without an extension is checked by its bytes later. */
export function nameMustBeHarmless(clientName: string): void {
  const name = safeName(clientName)
  if (unnamed.has(name.extension)) return
  extensionMustBeHarmless(joined(name), name.extension)
  nameMustBePossible(name.base)
}

const unnamed = new Set(['', 'tmp', 'temp'])

export interface UploadOptions {
  template: string | null
  sort: number | null
  /** The locale for sizes in error messages. */
  language: string
  /** The name to store, without extension, instead of that of the client. */
  base?: string
  /** Keeps the image format even if the blueprint converts new files. */
  keepsFormat?: boolean
}

/** All checks of a new file, in order. */
export async function check(
  app: App,
  uploaded: UploadedFile,
  options: UploadOptions,
): Promise<NewFile & { received: Received }> {
  const blueprint = app.blueprints.file(options.template ?? 'default')
  const detected = await detect(uploaded.received.head)
  const name = safeName(uploaded.clientName)
  if (unnamed.has(name.extension)) name.extension = extensionOf(detected) ?? ''
  if (options.base !== undefined) name.base = options.base
  const filename = joined(name)
  const { extension } = name
  extensionMustBeHarmless(filename, extension)
  const mime = mimeFor(filename, extension, detected)
  mimeMustBeHarmless(filename, mime)
  nameMustBePossible(name.base)
  const { size: sent } = uploaded.received
  const facts = { filename, extension, type: typeOf(extension), mime, size: sent, width: null, height: null }
  const problemBefore = problemWith(blueprint, facts, options.language)
  if (problemBefore) throw problemBefore
  const dimensions = await inspectAndClean(app, uploaded, facts, options.language)
  const { received } = uploaded
  const { hash, size } = received
  const problemAfter = problemWith(blueprint, { ...facts, size, ...dimensions }, options.language)
  if (problemAfter) throw problemAfter
  const file = { ...facts, ...dimensions, hash, size, template: options.template, sort: options.sort, received }
  const processing = processingOf(blueprint.create, extension, options.keepsFormat)
  return processing ? processImage(app, uploaded, file, processing) : file
}

/** Checks a replacement: it takes the name of the file and must have the same media type. */
export async function checkReplacement(
  app: App,
  uploaded: UploadedFile,
  file: FileRow,
  language: string,
): Promise<Bytes & { received: Received }> {
  uploaded.clientName = file.filename
  const differs = () => fail('file.mime.differs', { mime: file.mime })
  const checked = await check(app, uploaded, { ...file, language, keepsFormat: true }).catch((error: unknown) => {
    throw error instanceof ApiError && error.key === 'file.content.mismatch' ? differs() : error
  })
  const { hash, size, mime, width, height, received } = checked
  if (mime !== file.mime) throw differs()
  return { hash, size, mime, width, height, received }
}

type CheckedName = Pick<NewFile, 'filename' | 'extension' | 'mime'>

/** Cleans the bytes before they are stored: removes the location from images and program data from SVG. */
async function inspectAndClean(
  app: App,
  uploaded: UploadedFile,
  file: CheckedName,
  language: string,
): Promise<Dimensions | undefined> {
  if (hasLocation(app, file)) uploaded.received = await withoutLocation(uploaded.received)
  const { dimensions, text } = await inspect(app, file, uploaded.received, language)
  if (text !== undefined) {
    const cleaned = await app.media.receive(Readable.from([Buffer.from(text)]), app.config.files.maxSize)
    await uploaded.received.discard()
    uploaded.received = cleaned
  }
  return dimensions
}

/** Whether the file may contain a location that must be removed. */
export function hasLocation({ config }: App, { mime }: Pick<CheckedName, 'mime'>): boolean {
  return !config.files.keepLocation && mime.startsWith('image/') && mime !== 'image/svg+xml'
}

/** The dimensions of an image, and the text of an SVG that had to be cleaned. */
interface Inspection {
  dimensions?: Dimensions | undefined
  text?: string
}

/** Measures images; reads and checks SVG and other markup in full. */
export async function inspect(app: App, file: CheckedName, received: Received, language: string): Promise<Inspection> {
  const { filename, extension, mime } = file
  if (isReadable(extension)) return { dimensions: await measure(app, filename, received) }
  if (!/\bxml$/.test(mime)) return {}
  const { root, text } = await readMarkup(file, received, language)
  const dimensions = mime === 'image/svg+xml' ? measureSvg(root.attributes) : undefined
  return { dimensions, ...(text !== undefined && { text }) }
}

const maxMarkupBytes = 5 * 1024 * 1024

async function readMarkup(
  { filename, mime }: Pick<NewFile, 'filename' | 'mime'>,
  { path, size }: Received,
  language: string,
): Promise<{ root: Root; text?: string }> {
  if (size > maxMarkupBytes) throw fail('file.maxsize', { max: niceSize(maxMarkupBytes, language) })
  try {
    const { text, isChanged } = decodeMarkup(await readFile(path))
    if (mime !== 'image/svg+xml') return { root: await checkMarkup(text, 'xml') }
    const cleaned = await cleanSvg(text)
    const root = await checkMarkup(cleaned, 'svg')
    return cleaned === text && !isChanged ? { root } : { root, text: cleaned }
  } catch (error) {
    if (error instanceof UnsafeMarkup) throw fail('file.content.unsafe', { filename, reason: error.reason })
    if (error instanceof TypeError) throw fail('file.content.mismatch', { filename }) // invalid UTF-8
    throw error
  }
}

/** Decodes UTF-8, or the Latin-1 encoding that the XML declaration names; then the declaration is changed to UTF-8. */
function decodeMarkup(bytes: Buffer): { text: string; isChanged: boolean } {
  const [, before, encoding] =
    /^(<\?xml[^>]{0,100}?encoding\s*=\s*["'])([\w-]+)/i.exec(bytes.toString('latin1', 0, 200)) ?? []
  if (encoding === undefined || !/^(?:iso-8859-1|windows-1252)$/i.test(encoding))
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), isChanged: false }
  const text = new TextDecoder('windows-1252').decode(bytes)
  return { text: `${before}UTF-8${text.slice(before!.length + encoding.length)}`, isChanged: true }
}

async function processImage(
  app: App,
  uploaded: UploadedFile,
  file: NewFile & { received: Received },
  processing: NonNullable<ReturnType<typeof processingOf>>,
): Promise<NewFile & { received: Received }> {
  const received = await transformImage(app, file.filename, uploaded.received, processing)
  uploaded.received = received // so that `withForm` discards it
  const extension = processing.format
  const filename = `${file.filename.slice(0, -file.extension.length)}${extension}`
  const dimensions = await measure(app, filename, received)
  const mime = mimeFor(filename, extension, await detect(received.head))
  const { hash, size } = received
  return { ...file, ...dimensions, filename, extension, type: typeOf(extension), mime, hash, size, received }
}

/**
 * Retries once if a blob was swept: unused blobs are deleted after an hour, possibly between the check that they
 * exist and the commit of the file. Stores again what was received in this request; otherwise the client must send it
 * again.
 */
export async function withStoredBytes<Value>(
  app: App,
  received: readonly Received[],
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof BlobGone)) throw error
  }
  for (const one of received) if (existsSync(one.path)) await storeBytes(app, one)
  try {
    return await work()
  } catch (error) {
    throw error instanceof BlobGone ? fail('busy') : error
  }
}

/** Claims and stores the blob. If no file uses it, it is swept later. */
export async function storeBytes(app: App, received: Received): Promise<void> {
  await claimBlob(app, received.hash, received.size)
  await received.keep()
}

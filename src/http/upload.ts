import type { Readable } from 'node:stream'
import { fail } from '../platform/errors.ts'

/** One file of a form, while it is received. */
export interface UploadedPart {
  /** The file name as sent, unchecked. */
  filename: string
  bytes: AsyncIterable<Uint8Array>
}

/** A form with files whose body has not been read yet, so that the caller is authorised first. */
export interface Upload {
  /** Passes every file to `take` as a stream, while it is received. Returns the other fields at the end of the form. */
  read(limits: FormLimits, take: (part: UploadedPart) => Promise<void>): Promise<Map<string, string>>
}

export interface FormLimits {
  /** Maximum number of files. */
  files: number
  /** Maximum size of each file, in bytes. A form whose `Content-Length` exceeds the total is refused unread. */
  size: number
  /** The error for a form that is too large. */
  tooLarge: () => Error
}

/** `multipart/form-data` with a boundary, uncompressed. */
export function isForm(contentType: string | undefined, contentEncoding: string | undefined): boolean {
  return (
    /^multipart\/form-data[ \t]*;.*boundary=/is.test(contentType ?? '') &&
    (contentEncoding === undefined || contentEncoding.toLowerCase() === 'identity')
  )
}

const maxFields = 20
const fieldSize = 10_000
/** Bytes allowed for the headers and boundary of one part. */
const overhead = 10_000

export interface MinRate {
  /** Interval of the check, in ms, and the minimum number of bytes per interval (`minBytes`). */
  intervalMs: number
  minBytes: number
}

/** 1 kB per second. A slower client only occupies a connection. */
const defaultMinRate: MinRate = { intervalMs: 15_000, minBytes: 15_000 }

interface Source extends Readable {
  headers: { 'content-type'?: string | undefined; 'content-length'?: string | undefined }
}

/** Streams a form, with backpressure: `take` determines the speed. */
export async function readForm(
  source: Source,
  limits: FormLimits,
  take: (part: UploadedPart) => Promise<void>,
  minRate: MinRate = defaultMinRate,
): Promise<Map<string, string>> {
  const { files, size, tooLarge } = limits
  const announced = Number(source.headers['content-length'] ?? 0)
  if (announced > files * (size + overhead) + maxFields * (fieldSize + overhead)) throw tooLarge()
  const form = await createForm(source.headers['content-type']!, files)
  const { promise: ended, resolve: end, reject: stop } = Promise.withResolvers<void>()
  const fields = new Map<string, string>()
  const taking: Promise<void>[] = []
  const streams: Readable[] = []

  form.on('file', (_field, stream, filename) => {
    streams.push(stream)
    stream.on('error', () => {}) // avoids an uncaught error if the stream has no reader any more
    if (filename) {
      const received = take({ filename, bytes: stream })
      received.catch(stop)
      taking.push(received)
    } else stream.resume() // an empty file input
  })
  form.on('field', (name: string | undefined, value, _, isCut) => {
    if (name === undefined || isCut || fields.has(name)) stop(fail('upload.form'))
    else fields.set(name, value)
  })
  form.once('filesLimit', () => stop(fail('upload.tooMany', { max: String(files) })))
  form.once('fieldsLimit', () => stop(fail('upload.form')))
  form.once('partsLimit', () => {
    // At once: if the body ended within a part that the parser skips, it would throw an uncaught error.
    form.destroy()
    stop(fail('upload.form'))
  })
  form.on('error', (error: Error) =>
    stop(fail(/unexpected end/i.test(error.message) ? 'upload.incomplete' : 'upload.form')),
  )
  form.once('finish', end)
  const cut = () => void (source.readableEnded || stop(fail('upload.incomplete')))
  source.once('error', cut)
  source.once('close', cut)

  const watch = watchRate(source, form, minRate, () => stop(fail('request.timeout')))
  try {
    source.pipe(form)
    await ended
    await Promise.all(taking)
    return fields
  } catch (error) {
    source.unpipe(form)
    form.destroy()
    for (const stream of streams) stream.destroy()
    await Promise.allSettled(taking)
    throw error
  } finally {
    clearInterval(watch)
    source.resume() // discard the rest of the body
  }
}

async function createForm(contentType: string, files: number) {
  const { Busboy } = await import('@fastify/busboy')
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      preservePath: true,
      limits: {
        files,
        fields: maxFields,
        parts: files + maxFields,
        fieldSize,
        fieldNameSize: 100,
        headerPairs: 20,
        headerSize: 8000,
      },
    })
  } catch {
    throw fail('upload.form')
  }
}

/**
 * Calls `late` if the client sends too slowly. While the server itself is slow (backpressure), the client is not
 * blamed, for up to `maxStalledIntervals` intervals.
 */
function watchRate(
  source: Readable,
  form: { writableNeedDrain: boolean },
  { intervalMs: every, minBytes }: MinRate,
  late: () => void,
) {
  let arrived = 0
  let stuck = 0
  source.on('data', (chunk: Uint8Array) => {
    arrived += chunk.length
  })
  return setInterval(() => {
    if (arrived < minBytes && !source.readableEnded && (!form.writableNeedDrain || ++stuck > maxStalledIntervals))
      late()
    if (arrived > 0) stuck = 0
    arrived = 0
  }, every).unref()
}

const maxStalledIntervals = 20

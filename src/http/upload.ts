import type { Readable } from 'node:stream'
import { fail } from '../platform/errors.ts'

/** One file of a form, while it comes in. */
export interface Part {
  /** What its sender calls it, as it was sent. */
  filename: string
  bytes: AsyncIterable<Uint8Array>
}

/** A form with files that has not been read yet: who sends it has been let in first. */
export interface Upload {
  /** Every file is handed over as it comes, one piece after the other. Answers with the fields when all has arrived. */
  read(limits: FormLimits, take: (part: Part) => Promise<void>): Promise<Map<string, string>>
}

export interface FormLimits {
  /** How many there may be. */
  files: number
  /** How large each of them may be, in bytes: a form that must be larger is not read at all. */
  size: number
  /** What is said then. */
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
/** Of a part: its headers and the boundary before it. */
const overhead = 10_000

export interface Pace {
  /** How often it is looked whether enough has come, in milliseconds, and how much that is. */
  every: number
  least: number
}

/** A kilobyte a second: less is no upload, but somebody who holds a connection. */
const defaultPace: Pace = { every: 15_000, least: 15_000 }

interface Source extends Readable {
  headers: { 'content-type'?: string | undefined; 'content-length'?: string | undefined }
}

/** Reads a form piece by piece: whoever takes the files decides how fast. */
export async function readForm(
  source: Source,
  limits: FormLimits,
  take: (part: Part) => Promise<void>,
  pace: Pace = defaultPace,
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
    stream.on('error', () => {}) // who reads it hears of it, too; nobody may be left who does
    if (filename) {
      const taken = take({ filename, bytes: stream })
      taken.catch(stop)
      taking.push(taken)
    } else stream.resume() // nobody has chosen one
  })
  form.on('field', (name: string | undefined, value, _, isCut) => {
    if (name === undefined || isCut || fields.has(name)) stop(fail('upload.form'))
    else fields.set(name, value)
  })
  form.once('filesLimit', () => stop(fail('upload.tooMany', { max: String(files) })))
  form.once('fieldsLimit', () => stop(fail('upload.form')))
  form.once('partsLimit', () => stop(fail('upload.form')))
  form.on('error', (error: Error) =>
    stop(fail(/unexpected end/i.test(error.message) ? 'upload.incomplete' : 'upload.form')),
  )
  form.once('finish', end)
  const cut = () => void (source.readableEnded || stop(fail('upload.incomplete')))
  source.once('error', cut)
  source.once('close', cut)

  const watch = keepPace(source, form, pace, () => stop(fail('request.timeout')))
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
    source.resume() // what is left of it is read and forgotten
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

/** While we are the slow ones nobody else is blamed, unless that does not end. */
function keepPace(source: Readable, form: { writableNeedDrain: boolean }, { every, least }: Pace, late: () => void) {
  let arrived = 0
  let stuck = 0
  source.on('data', (chunk: Uint8Array) => {
    arrived += chunk.length
  })
  return setInterval(() => {
    if (arrived < least && !source.readableEnded && (!form.writableNeedDrain || ++stuck > maxStuck)) late()
    if (arrived > 0) stuck = 0
    arrived = 0
  }, every).unref()
}

const maxStuck = 20

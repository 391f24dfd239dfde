import type { Readable } from 'node:stream'
import type { App } from '../../app.ts'
import { readStored } from '../../content/stored.ts'
import { fail } from '../../platform/errors.ts'
import { contentLanguage } from '../../content/languages/languages.ts'
import { readFrom } from '../../platform/media/disk.ts'
import { formatFor, mimeOf } from '../../platform/media/formats.ts'
import type { Range } from '../../platform/media/media.ts'
import { readFocus } from '../../platform/media/resize.ts'
import { isCurrent, mediaPath } from '../../platform/media/urls.ts'
import { nameOf, type ThumbnailRequest } from '../../platform/media/thumbnails.ts'
import { type HttpExchange, header } from '../../access/session/exchange.ts'
import { type Address, readAddress } from './address.ts'
import { type Audience, find, type Found } from './find.ts'
import { headersOf } from './kind.ts'
import { readRange } from './range.ts'

/** An answer whose body is read by whoever sends it, or destroyed. A header that is undefined is not sent. */
export interface Delivered {
  status: number
  headers: Record<string, string | undefined>
  body?: Readable
}

/** Bytes that can be sent, whole or in part. */
interface Parcel {
  etag: string
  size: number
  headers: Record<string, string | undefined>
  open(range: Range | undefined): Promise<Readable>
  /** Instead of `open`. */
  close(): Promise<void>
}

export type Deliver = (path: string, exchange: HttpExchange) => Promise<Delivered>

/** Answers everything below `/media/`: files, and smaller pictures made of them. */
export function createDelivery(app: App): Deliver {
  return async (path, exchange) => {
    const address = readAddress(path)
    if (!address) throw fail('notFound')
    const found = await find(app, address, exchange)
    if (!isCurrent(app, found.file, address.version)) return moved(app, address, found)
    const about = aboutOf(found)
    const request = found.size && (await requestFor(app, found, exchange))
    const known = request ? etagOf(request) : `"${found.file.hash}"`
    if (isKnown(exchange, known)) return { status: 304, headers: { ...about, etag: known } }
    const thumb = request && (await packThumb(app, request))
    const { status, headers, body } = await send(thumb ?? packFile(app, found), exchange)
    // The original in the place of a thumbnail: perhaps there is one in a moment.
    const isForNow = request && !thumb && found.audience !== 'restricted'
    return {
      status,
      headers: { ...about, ...headers, ...(isForNow && { 'cache-control': caching(found.audience, 'max-age=60') }) },
      ...(body && { body }),
    }
  }
}

/** The file has changed since somebody learned its address. */
function moved(app: App, { kind, owner, name }: Address, { file }: Found): Delivered {
  const place = owner === '' ? kind : `${kind}/${owner}`
  return { status: 302, headers: { location: mediaPath(app, { ...file, place, filename: name }) } }
}

/** What is public is the same for everybody and for ever; the rest is for whom it was sent to, and for now. */
function aboutOf({ size, audience }: Found): Delivered['headers'] {
  const isPublic = audience === 'everybody'
  const vary = [...(isPublic ? [] : ['Cookie', 'Authorization', 'Origin']), ...(size ? ['Accept'] : [])]
  return {
    // The same for every site, so that no cache has to tell them apart.
    ...(isPublic && { 'access-control-allow-origin': '*', 'access-control-allow-credentials': undefined }),
    'cache-control': caching(audience, 'max-age=31536000, immutable'),
    'cross-origin-resource-policy': isPublic ? 'cross-origin' : 'same-site',
    'accept-ranges': 'bytes',
    vary: vary.length > 0 ? vary.join(', ') : undefined,
  }
}

/** A thumbnail of the panel stays in the browser; what is not public stays nowhere. */
function caching(audience: Audience, age: string): string {
  return { everybody: `public, ${age}`, callers: `private, ${age}`, restricted: 'private, no-store' }[audience]
}

// ---- what is sent

async function requestFor(app: App, { file, size }: Found, exchange: HttpExchange): Promise<ThumbnailRequest> {
  const focus = size!.crop ? await focusOf(app, file.uuid) : undefined
  const format = formatFor(file.extension, header(exchange, 'accept'))
  return { hash: file.hash, size: size!, format, focus: readFocus(focus) }
}

async function focusOf(app: App, uuid: string): Promise<string | undefined> {
  const content = await readStored(app.store, `file://${uuid}`, await contentLanguage(app, undefined), new Map())
  return content['focus']
}

const etagOf = (request: ThumbnailRequest) => `"${request.hash.slice(0, 32)}-${nameOf(request)}"`

async function packThumb({ thumbnails }: App, request: ThumbnailRequest): Promise<Parcel | undefined> {
  const handle = await thumbnails.open(request)
  if (!handle) return undefined
  const { size } = await handle.stat()
  return {
    etag: etagOf(request),
    size,
    headers: headersOf({ mime: mimeOf[request.format], filename: '' }),
    open: async range => readFrom(handle, range),
    close: () => handle.close(),
  }
}

function packFile(app: App, { file }: Found): Parcel {
  return {
    etag: `"${file.hash}"`,
    size: file.size,
    headers: headersOf(file),
    async open(range) {
      const stream = await app.media.open(file.hash, range)
      if (stream) return stream
      app.log.error({ file: file.uuid, hash: file.hash }, 'the bytes of a file are not there')
      throw fail('notFound')
    },
    close: async () => {},
  }
}

async function send(parcel: Parcel, exchange: HttpExchange): Promise<Delivered> {
  const { etag, size } = parcel
  const headers = { ...parcel.headers, etag }
  const range = await rangeOf(parcel, exchange)
  const length = range ? range.end - range.start + 1 : size
  const answer: Delivered = {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      'content-length': String(length),
      ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${size}` }),
    },
  }
  if (exchange.method === 'HEAD') await parcel.close()
  else answer.body = await parcel.open(range)
  return answer
}

/** A part is only sent of what the rest was of. */
async function rangeOf(parcel: Parcel, exchange: HttpExchange): Promise<Range | undefined> {
  const condition = header(exchange, 'if-range')
  if (exchange.method !== 'GET' || (condition !== undefined && condition !== parcel.etag)) return undefined
  try {
    return readRange(header(exchange, 'range'), parcel.size)
  } catch (error) {
    await parcel.close()
    throw error
  }
}

/** Whether the visitor has it already. */
function isKnown(exchange: HttpExchange, etag: string): boolean {
  const known = header(exchange, 'if-none-match')
  if (known === undefined) return false
  return known.split(',').some(one => ['*', etag].includes(one.trim().replace(/^W\//, '')))
}

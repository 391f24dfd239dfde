import type { Readable } from 'node:stream'
import type { App } from '../../app.ts'
import { readStored } from '../../content/stored.ts'
import { fail } from '../../platform/errors.ts'
import { contentLanguage } from '../../content/languages/languages.ts'
import { readFrom } from '../../platform/media/disk.ts'
import { formatFor, mimeOfFormat } from '../../platform/media/formats.ts'
import type { Range } from '../../platform/media/media.ts'
import { readFocus } from '../../platform/media/resize.ts'
import { isCurrent, mediaPath } from '../../platform/media/urls.ts'
import { nameOf, type ThumbnailRequest } from '../../platform/media/thumbnails.ts'
import { ownerOfFile } from '../files/model.ts'
import { selectFileVersions } from '../files/versions/queries.ts'
import { inUrl } from '../files/versions/versions.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { type MediaPath, parseMediaPath } from './media-path.ts'
import { type Audience, find, type RequestedFile } from './find.ts'
import { headersOf } from './kind.ts'
import { readRange } from './range.ts'
import { isNotModified } from '../../http/validators.ts'

/** A response whose body the sender must read to the end or destroy. Headers with the value undefined are not sent. */
export interface DeliveryResponse {
  status: number
  headers: Record<string, string | undefined>
  body?: Readable
}

/** The body of a response, sent as a whole or in part. */
interface Payload {
  etag: string
  size: number
  headers: Record<string, string | undefined>
  open(range: Range | undefined): Promise<Readable>
  /** Releases the handle; call it if `open` is not called. */
  close(): Promise<void>
}

/** `pass` is the preview pass in the query. */
export type Deliver = (path: string, pass: string | undefined, exchange: HttpExchange) => Promise<DeliveryResponse>

/** Handles everything below `/media/`: files and their thumbnails. */
export function createDelivery(app: App): Deliver {
  return async (path, pass, exchange) => {
    const address = parseMediaPath(path)
    if (!address) throw fail('notFound')
    const found = await find(app, address, exchange, pass)
    if (!isCurrent(app, found.file, address.version)) {
      const former = await findFormer(app, found, address.version)
      if (!former) return redirectToCurrent(app, address, found)
      Object.assign(found, former)
    }
    const commonHeaders = headersFor(found)
    const request = found.size && (await requestFor(app, found, exchange))
    const etag = request ? etagOf(request) : `"${found.file.hash}"`
    if (isNotModified(exchange.headers['if-none-match'], etag))
      return { status: 304, headers: { ...commonHeaders, etag } }
    const thumb = request && (await thumbPayload(app, request))
    const { status, headers, body } = await send(thumb ?? filePayload(app, found), exchange)
    // The original replaces a thumbnail that is not ready: cached only for a short time, because the thumbnail may be
    // ready soon.
    const isTemporary = request && !thumb && ['public', 'callers'].includes(found.audience)
    return {
      status,
      headers: {
        ...commonHeaders,
        ...headers,
        ...(isTemporary && { 'cache-control': caching(found.audience, 'max-age=60') }),
      },
      ...(body && { body }),
    }
  }
}

/** The bytes of a former version, which only callers who may see the file get. */
async function findFormer(app: App, { file }: RequestedFile, version: string): Promise<RequestedFile | undefined> {
  const versions = await selectFileVersions(app.store, ownerOfFile(file.uuid))
  const former = versions.find(one => isCurrent(app, inUrl(file, one), version))
  return former && { file: { ...file, hash: former.hash, size: former.size }, audience: 'restricted' }
}

/** Redirects an outdated version to the current URL. */
function redirectToCurrent(app: App, { kind, owner, name }: MediaPath, { file }: RequestedFile): DeliveryResponse {
  const place = owner === '' ? kind : `${kind}/${owner}`
  return { status: 302, headers: { location: mediaPath(app, place, file, name) } }
}

/** Public files may be cached by every cache and never change under their URL; other responses depend on the caller. */
function headersFor({ size, audience }: RequestedFile): DeliveryResponse['headers'] {
  const isPublic = audience === 'public'
  const vary = [...(isPublic ? [] : ['Cookie', 'Authorization', 'Origin']), ...(size ? ['Accept'] : [])]
  return {
    // The same for every origin, so that caches need not vary by it.
    ...(isPublic && { 'access-control-allow-origin': '*', 'access-control-allow-credentials': undefined }),
    'cache-control': caching(audience, 'max-age=31536000, immutable'),
    // A front end shows previews on its own site.
    'cross-origin-resource-policy': isPublic || audience === 'previewers' ? 'cross-origin' : 'same-site',
    'accept-ranges': 'bytes',
    vary: vary.length > 0 ? vary.join(', ') : undefined,
  }
}

/** Thumbnails of the panel are cached by the browser only; files that are not public are not cached at all. */
function caching(audience: Audience, age: string): string {
  const never = 'private, no-store'
  return { public: `public, ${age}`, callers: `private, ${age}`, previewers: never, restricted: never }[audience]
}

// ---- what is sent

async function requestFor(app: App, { file, size }: RequestedFile, exchange: HttpExchange): Promise<ThumbnailRequest> {
  const focus = size!.crop ? await focusOf(app, file.uuid) : undefined
  const format = formatFor(file.extension, exchange.headers['accept'])
  return { hash: file.hash, size: size!, format, focus: readFocus(focus) }
}

async function focusOf(app: App, uuid: string): Promise<string | undefined> {
  const content = await readStored(app.store, `file://${uuid}`, await contentLanguage(app, undefined), new Map())
  return content['focus']
}

const etagOf = (request: ThumbnailRequest) => `"${request.hash.slice(0, 32)}-${nameOf(request)}"`

async function thumbPayload({ thumbnails }: App, request: ThumbnailRequest): Promise<Payload | undefined> {
  const handle = await thumbnails.open(request)
  if (!handle) return undefined
  const { size } = await handle.stat()
  return {
    etag: etagOf(request),
    size,
    headers: headersOf({ mime: mimeOfFormat[request.format], filename: '' }),
    open: async range => readFrom(handle, range),
    close: () => handle.close(),
  }
}

function filePayload(app: App, { file }: RequestedFile): Payload {
  return {
    etag: `"${file.hash}"`,
    size: file.size,
    headers: headersOf(file),
    async open(range) {
      const stream = await app.media.open(file.hash, range)
      if (stream) return stream
      app.log.error({ file: file.uuid, hash: file.hash }, 'the bytes of a file are missing')
      throw fail('notFound')
    },
    close: async () => {},
  }
}

async function send(payload: Payload, exchange: HttpExchange): Promise<DeliveryResponse> {
  const { etag, size } = payload
  const headers = { ...payload.headers, etag }
  const range = await rangeOf(payload, exchange)
  const length = range ? range.end - range.start + 1 : size
  const answer: DeliveryResponse = {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      'content-length': String(length),
      ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${size}` }),
    },
  }
  if (exchange.method === 'HEAD') await payload.close()
  else answer.body = await payload.open(range)
  return answer
}

/** With `If-Range`, a part is only sent if the client has the rest of the same version. */
async function rangeOf(payload: Payload, exchange: HttpExchange): Promise<Range | undefined> {
  const condition = exchange.headers['if-range']
  if (exchange.method !== 'GET' || (condition !== undefined && condition !== payload.etag)) return undefined
  try {
    return readRange(exchange.headers['range'], payload.size)
  } catch (error) {
    await payload.close()
    throw error
  }
}

/** In-memory S3-compatible storage for tests and the drill. It checks the signature and the hash of every request. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface S3Server {
  settings: { endpoint: string; region: string; bucket: string; accessKey: string; secretKey: string }
  /** The stored objects, by key. */
  objects: Map<string, Buffer>
  /** Multipart uploads that were neither completed nor aborted. */
  uploads: Map<string, { key: string; parts: Map<number, Buffer> }>
  /** The requests, in order: `PUT media/…`. */
  log: string[]
  /** Called before a request is handled; a returned status makes it fail. */
  onRequest: (line: string) => Promise<number | undefined>
  close(): Promise<void>
}

const bucket = 'quoin-test'
const region = 'eu-test-1'
const accessKey = 'TESTKEY'
const secretKey = 'test/secret+key'
const smallestPart = 5 * 1024 * 1024

class Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

/** On a free port, unless one is given. */
export async function startS3Server(port = 0): Promise<S3Server> {
  const s3: S3Server = {
    settings: { endpoint: '', region, bucket, accessKey, secretKey },
    objects: new Map(),
    uploads: new Map(),
    log: [],
    onRequest: async () => undefined,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => void server.close(resolve))
    },
  }
  const server = createServer((request, response) => {
    answer(s3, request, response).catch((error: unknown) => {
      const { status, code } = error instanceof Refusal ? error : { status: 500, code: String(error) }
      response.writeHead(status, { 'content-type': 'application/xml' })
      response.end(request.method === 'HEAD' ? undefined : `<Error><Code>${code}</Code></Error>`)
    })
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  s3.settings.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return s3
}

async function answer(s3: S3Server, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url!, 'http://localhost')
  const line = `${request.method} ${request.url!.slice(`/${bucket}/`.length)}`
  s3.log.push(line)
  const body = await buffer(request)
  const failure = await s3.onRequest(line)
  if (failure !== undefined) throw new Refusal(failure, 'SlowDown')
  checkSignature(request, url, body)
  if (!url.pathname.startsWith(`/${bucket}`)) throw new Refusal(404, 'NoSuchBucket')
  const key = decodeURIComponent(url.pathname.slice(bucket.length + 2))
  const { status, headers, content } = operate(s3, { method: request.method!, key, url, body, request })
  response.writeHead(status, { 'content-length': String(content?.length ?? 0), ...headers })
  response.end(request.method === 'HEAD' ? undefined : content)
}

interface Call {
  method: string
  key: string
  url: URL
  body: Buffer
  request: IncomingMessage
}

interface Result {
  status: number
  headers?: Record<string, string>
  content?: Buffer
}

function operate(s3: S3Server, call: Call): Result {
  const { method, key, url } = call
  const query = url.searchParams
  if (query.has('uploads') || query.has('uploadId')) return operateParts(s3, call)
  if (key === '' && method === 'GET') return list(s3, query)
  if (key === '') throw new Refusal(405, 'MethodNotAllowed')
  switch (method) {
    case 'PUT':
      s3.objects.set(key, call.body)
      return { status: 200, headers: { etag: etagOf(call.body) } }
    case 'GET':
    case 'HEAD':
      return get(s3, call)
    case 'DELETE':
      s3.objects.delete(key)
      return { status: 204 }
    default:
      throw new Refusal(405, 'MethodNotAllowed')
  }
}

function get(s3: S3Server, { key, method, request }: Call): Result {
  const whole = s3.objects.get(key)
  if (!whole) throw new Refusal(404, 'NoSuchKey')
  const { range } = request.headers
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
  if (range !== undefined && first === undefined) throw new Refusal(400, 'InvalidArgument')
  if (first !== undefined && Number(first) >= whole.length) throw new Refusal(416, 'InvalidRange')
  const content = first === undefined ? whole : whole.subarray(Number(first), last ? Number(last) + 1 : undefined)
  const headers = { etag: etagOf(whole), ...(method === 'HEAD' && { 'content-length': String(whole.length) }) }
  return { status: first === undefined ? 200 : 206, headers, content }
}

/** ListObjectsV2 with three objects per response, so that clients must continue the listing. */
function list(s3: S3Server, query: URLSearchParams): Result {
  if (query.get('list-type') !== '2') throw new Refusal(400, 'InvalidArgument')
  const prefix = query.get('prefix') ?? ''
  const after = query.get('continuation-token') ?? ''
  const keys = [...s3.objects.keys()].filter(key => key.startsWith(prefix) && key > after).toSorted()
  const shown = keys.slice(0, Math.min(3, Number(query.get('max-keys') ?? 1000)))
  const contents = shown.map(
    key => `<Contents><Key>${key}</Key><Size>${s3.objects.get(key)!.length}</Size><ETag>"x"</ETag></Contents>`,
  )
  const more = keys.length > shown.length
  const next = more ? `<NextContinuationToken>${shown.at(-1)}</NextContinuationToken>` : ''
  const xml = `<?xml version="1.0"?><ListBucketResult><IsTruncated>${more}</IsTruncated>${contents.join('')}${next}</ListBucketResult>`
  return { status: 200, headers: { 'content-type': 'application/xml' }, content: Buffer.from(xml) }
}

function operateParts(s3: S3Server, { method, key, url, body }: Call): Result {
  const id = url.searchParams.get('uploadId')
  if (id === null) {
    const upload = `upload-${s3.log.length}`
    s3.uploads.set(upload, { key, parts: new Map() })
    return xmlOf(`<InitiateMultipartUploadResult><UploadId>${upload}</UploadId></InitiateMultipartUploadResult>`)
  }
  const upload = s3.uploads.get(id)
  if (upload?.key !== key) throw new Refusal(404, 'NoSuchUpload')
  if (method === 'PUT') {
    upload.parts.set(Number(url.searchParams.get('partNumber')), body)
    return { status: 200, headers: { etag: etagOf(body) } }
  }
  if (method === 'DELETE') {
    s3.uploads.delete(id)
    return { status: 204 }
  }
  const named = [
    ...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>\s*<ETag>(?:&quot;|")?(\w+)(?:&quot;|")?<\/ETag>/g),
  ]
  const parts = named.map(([, number, etag]) => {
    const part = upload.parts.get(Number(number))
    if (!part || etagOf(part) !== `"${etag}"`) throw new Refusal(400, 'InvalidPart')
    return part
  })
  if (parts.length === 0 || parts.length !== upload.parts.size) throw new Refusal(400, 'InvalidPart')
  if (parts.slice(0, -1).some(part => part.length < smallestPart)) throw new Refusal(400, 'EntityTooSmall')
  s3.objects.set(key, Buffer.concat(parts))
  s3.uploads.delete(id)
  return xmlOf(`<CompleteMultipartUploadResult><Key>${key}</Key><ETag>"x"</ETag></CompleteMultipartUploadResult>`)
}

const xmlOf = (xml: string): Result => ({
  status: 200,
  headers: { 'content-type': 'application/xml' },
  content: Buffer.from(`<?xml version="1.0"?>${xml}`),
})

const etagOf = (body: Buffer) => `"${createHash('md5').update(body).digest('hex')}"`

// ---- AWS Signature Version 4

const hashOf = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const sign = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** Computes the signature of the received request and compares it. */
function checkSignature({ method, headers }: IncomingMessage, url: URL, body: Buffer): void {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([\w-]+)\/s3\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/
  const [, id, date, where, names, signature] = form.exec(headers.authorization ?? '') ?? []
  const time = String(headers['x-amz-date'])
  const signed = names?.split(';') ?? []
  if (id !== accessKey || where !== region) throw new Refusal(403, 'InvalidAccessKeyId')
  const mustBeSigned = ['host', ...Object.keys(headers).filter(name => name.startsWith('x-amz-'))]
  if (!mustBeSigned.every(name => signed.includes(name))) throw new Refusal(403, 'AccessDenied')
  const age = Math.abs(
    Date.now() - Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')),
  )
  if (!time.startsWith(date!) || !(age < 15 * 60_000)) throw new Refusal(403, 'RequestTimeTooSkewed')
  checkPayload(headers, body)
  const canonical = [
    method,
    url.pathname,
    queryOf(url),
    ...signed.map(name => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    headers['x-amz-content-sha256'],
  ].join('\n')
  const scope = `${date}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, hashOf(canonical)].join('\n')
  const key = ['s3', 'aws4_request'].reduce(sign, sign(sign(`AWS4${secretKey}`, date!), region))
  if (!timingSafeEqual(sign(key, text), Buffer.from(signature!, 'hex'))) throw new Refusal(403, 'SignatureDoesNotMatch')
}

function checkPayload(headers: IncomingMessage['headers'], body: Buffer): void {
  const sentHash = headers['x-amz-content-sha256']
  if (sentHash === undefined) throw new Refusal(400, 'MissingContentSHA256')
  if (sentHash !== 'UNSIGNED-PAYLOAD' && sentHash !== hashOf(body)) throw new Refusal(400, 'XAmzContentSHA256Mismatch')
  const checksum = headers['x-amz-checksum-sha256']
  if (checksum !== undefined && checksum !== Buffer.from(hashOf(body), 'hex').toString('base64'))
    throw new Refusal(400, 'BadDigest')
  const length = headers['content-length']
  if (length !== undefined && Number(length) !== body.length) throw new Refusal(400, 'IncompleteBody')
}

const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, one => `%${one.codePointAt(0)!.toString(16).toUpperCase()}`)

function queryOf({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&')
}

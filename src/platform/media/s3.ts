import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import type { ReadableStream } from 'node:stream/web'
import type { S3mini, UploadPart } from 's3mini'
import { fail } from '../errors.ts'
import { chunks } from '../lib/chunks.ts'
import { isHash, type Media, MediaUnavailable, mustBeHash, RemovalRefused } from './media.ts'
import { openTemporary } from './temporary.ts'

export interface S3Options {
  endpoint: string
  region: string
  bucket: string
  accessKey: string
  secretKey: string
  /** The largest possible object, in bytes: it is uploaded in at most 10,000 parts. */
  maxSize: number
  /** For temporary files: uploads and borrowed blobs. */
  folder: string
  onError: (error: unknown) => void
  responseTimeoutMs?: number
}

interface UploadSource {
  path: string
  hash: string
  size: number
}

const prefix = 'media/'
const concurrency = 8
const smallestPart = 8 * 1024 * 1024
const maxParts = 10_000
/** Timeout until the response begins, in milliseconds; its body may take as long as it needs. */
const defaultResponseTimeoutMs = 4000
/** The same for a request with a body, which is sent first: a part of an upload over a slow line. */
const uploadTimeoutMs = 120_000
/** Timeout of the availability check, and how long its result is cached, in milliseconds. */
const checkTimeoutMs = 4000
const checkedForMs = 5000

/** Blobs in a bucket, for several machines: `media/ab12…`. The bucket is in the path, which every service supports. */
export function openS3(options: S3Options): Media {
  const temporary = openTemporary(join(options.folder, 'tmp'))
  const partSize = Math.max(smallestPart, Math.ceil(options.maxSize / maxParts))
  let client: Promise<S3mini> | undefined

  /** The library is loaded when it is first needed. */
  function connect(): Promise<S3mini> {
    client ??= import('s3mini').then(
      library =>
        new library.S3mini({
          accessKeyId: options.accessKey,
          secretAccessKey: options.secretKey,
          endpoint: `${options.endpoint.replace(/\/+$/, '')}/${options.bucket}`,
          region: options.region,
          minPartSize: partSize,
          fetch: fetchWithin(options.responseTimeoutMs ?? defaultResponseTimeoutMs),
        }),
    )
    return client
  }

  /** Undefined for 404. Any other failure of the service is reported as an outage (503), not as an internal error. */
  async function ask<Value>(work: (s3: S3mini) => Promise<Value>): Promise<Value | undefined> {
    try {
      return await work(await connect())
    } catch (error) {
      if (error instanceof RemovalRefused) throw error
      const status = statusOf(error)
      if (status === 404) return undefined
      options.onError(error)
      throw fail('unavailable').with({ headers: { 'retry-after': '5' } })
    }
  }

  async function open(hash: string, range?: { start: number; end: number }): Promise<Readable | undefined> {
    const key = keyOf(hash)
    const answer = await ask(s3 => s3.getObjectRaw(key, !range, range?.start, range && range.end + 1))
    return answer && Readable.fromWeb(answer.body as ReadableStream<Uint8Array>)
  }

  async function size(hash: string): Promise<number | undefined> {
    const key = keyOf(hash)
    return ask(s3 => s3.getContentLength(key))
  }

  const receive: Media['receive'] = (source, limit) =>
    temporary.receive(source, limit, async received => {
      if ((await size(received.hash)) === received.size) return
      await ask(s3 => upload(s3, keyOf(received.hash), received, partSize))
      if ((await size(received.hash)) !== received.size) throw new Error('the storage has not kept what it was given')
    })

  let last: { at: number; result: Promise<void> } | undefined

  /** Readiness is checked often, by several clients at once: the result is cached for a few seconds. */
  function check(): Promise<void> {
    if (!last || performance.now() - last.at > checkedForMs) last = { at: performance.now(), result: probe() }
    return last.result
  }

  /** Lists one object: endpoint, bucket, region and keys have to be right for that. */
  async function probe(): Promise<void> {
    const { endpoint, bucket } = options
    const s3 = await connect()
    const found = await inTime(s3.listObjectsPaged('/', prefix, 1)).catch((error: unknown) => {
      throw new MediaUnavailable(reasonFor(error, endpoint), { cause: error })
    })
    if (found === null)
      throw new MediaUnavailable(`There is no bucket "${bucket}" at ${endpoint}. Check media.s3.bucket.`)
  }

  /** The keys may be allowed to list and not to write, or the bucket may be full. */
  async function checkWritable(): Promise<void> {
    const { endpoint, bucket } = options
    const s3 = await connect()
    const key = `${prefix}probe-${randomUUID()}` // no hash, so that nothing takes it for a blob
    const attempt = async <Value>(permission: string, work: Promise<Value>): Promise<Value> =>
      inTime(work).catch((error: unknown) => {
        const status = statusOf(error)
        const reason =
          status === undefined
            ? reasonFor(error, endpoint)
            : `The storage at ${endpoint} refuses to ${permission} in the bucket "${bucket}" (${status}). The keys need the permissions s3:ListBucket, s3:PutObject, s3:GetObject and s3:DeleteObject.`
        throw new MediaUnavailable(reason, { cause: error })
      })
    await probe()
    await attempt('write (s3:PutObject)', s3.putObject(key, key, type))
    const found = await attempt('read (s3:GetObject)', s3.getObject(key))
    await attempt('delete (s3:DeleteObject)', s3.deleteObject(key))
    if (found !== key)
      throw new MediaUnavailable(`The storage at ${endpoint} has not kept what it was given in the bucket "${bucket}".`)
  }

  return {
    receive,
    async keepAll(blobs) {
      for (const batch of chunks(blobs, concurrency))
        await Promise.all(batch.map(async ({ bytes }) => (await receive(Readable.from([bytes]), bytes.length)).keep()))
    },
    open,
    size,

    async borrow(hash, work) {
      const stream = await open(hash)
      if (!stream) return undefined
      const path = await temporary.path()
      try {
        await pipeline(stream, createWriteStream(path, { mode: 0o600 }))
        return await work(path)
      } finally {
        await rm(path, { force: true })
      }
    },

    async remove(hash) {
      const key = keyOf(hash)
      await ask(s3 =>
        s3.deleteObject(key).catch((error: unknown) => {
          const status = statusOf(error)
          // A gateway answers with 5xx for a service that may still be working on it.
          throw status !== undefined && status < 500 && status !== 404
            ? new RemovalRefused(`the storage answers with ${status}`, { cause: error })
            : error
        }),
      )
    },

    async *list() {
      let next: string | undefined
      do {
        const found = await ask(s3 => s3.listObjectsPaged('/', prefix, 1000, next))
        yield* (found?.objects ?? []).map(({ Key }) => Key.slice(prefix.length)).filter(isHash)
        next = found?.nextContinuationToken
      } while (next !== undefined)
    },

    check,
    checkWritable,

    sweep: olderThan => temporary.sweep(olderThan),
  }
}

function keyOf(hash: string): string {
  mustBeHash(hash)
  return prefix + hash
}

const type = 'application/octet-stream'

/**
 * The service verifies small objects by their hash. Large ones are uploaded in parts, with one part at a time in
 * memory.
 */
async function upload(s3: S3mini, key: string, { path, hash, size }: UploadSource, partSize: number): Promise<void> {
  if (size > partSize) return uploadParts(s3, key, path, partSize)
  const checksum = { 'x-amz-checksum-sha256': Buffer.from(hash, 'hex').toString('base64') } as const
  await s3.putObject(key, await readFile(path), type, undefined, checksum, size)
}

async function uploadParts(s3: S3mini, key: string, path: string, partSize: number): Promise<void> {
  const id = await s3.getMultipartUploadId(key, type)
  try {
    const parts: UploadPart[] = []
    for await (const part of createReadStream(path, { highWaterMark: partSize }) as AsyncIterable<Buffer>)
      parts.push(await s3.uploadPart(key, id, part, parts.length + 1))
    await s3.completeMultipartUpload(key, id, parts)
  } catch (error) {
    await s3.abortMultipartUpload(key, id).catch(() => undefined)
    throw error
  }
}

/** The library wraps some errors in others. */
function statusOf(error: unknown): number | undefined {
  const { status, cause } = Object(error) as { status?: number; cause?: unknown }
  return status ?? (cause === undefined ? undefined : statusOf(cause))
}

async function inTime<Value>(work: Promise<Value>): Promise<Value> {
  const controller = new AbortController()
  const late = setTimeout(checkTimeoutMs, undefined, { ref: false, signal: controller.signal }).then(() => {
    throw Object.assign(new Error('it does not answer'), { code: 'ETIMEDOUT' })
  })
  try {
    return await Promise.race([work, late])
  } finally {
    late.catch(() => {}) // the abort rejects it
    controller.abort()
  }
}

function reasonFor(error: unknown, endpoint: string): string {
  const status = statusOf(error)
  if (status === 401 || status === 403)
    return `The storage at ${endpoint} refuses the keys (${status}). Check media.s3.accessKey, media.s3.secretKey and media.s3.region.`
  if (status !== undefined)
    return `The storage at ${endpoint} answers with ${status}. Check media.s3.endpoint and media.s3.region.`
  return `The storage at ${endpoint} cannot be reached (${codeOf(error) ?? 'no answer'}). Check media.s3.endpoint.`
}

/** The innermost error has the code of the connection failure. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown }
  return (cause === undefined ? undefined : codeOf(cause)) ?? (typeof code === 'string' ? code : undefined)
}

const fetchWithin =
  (responseTimeoutMs: number): typeof fetch =>
  async (input, init) => {
    const controller = new AbortController()
    const hasBody = init?.body !== undefined && init.body !== null && init.body !== ''
    const timer = globalThis.setTimeout(() => controller.abort(), hasBody ? uploadTimeoutMs : responseTimeoutMs)
    try {
      return await fetch(input, { ...init, signal: controller.signal })
    } finally {
      clearTimeout(timer)
    }
  }

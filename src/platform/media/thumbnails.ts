import { access, type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { createId } from '../lib/id.ts'
import { createLimiter, LimiterFull } from '../lib/concurrency-limiter.ts'
import { thumbsOf } from './blobs.ts'
import { createEviction } from './eviction.ts'
import type { Media } from './media.ts'
import { type Focus, type ImageFormat, InvalidImage, resize } from './resize.ts'
import { ignoreMissing, fileNamesIn, writeAll } from './temporary.ts'
import type { Size } from './thumbs.ts'

export interface ThumbnailRequest {
  /** Hash of the original. */
  hash: string
  size: Size
  format: ImageFormat
  focus: Focus
}

/** Makes thumbnails, each once, a few at a time, and caches them on this machine. */
export interface Thumbnails {
  /**
   * An open file that the caller must close. Undefined if the thumbnail cannot be made, if there is no such blob, or if
   * the caller would have to wait too long: then it is available later.
   */
  open(request: ThumbnailRequest): Promise<FileHandle | undefined>
  /**
   * Makes these in the background while no request waits. They are not remembered across a restart: then they are made
   * on demand.
   */
  prepare(requests: readonly ThumbnailRequest[]): void
  /** How many are being made, and how many wait. */
  lengths(): { running: number; waiting: number }
  /** Stops the background work. */
  close(): Promise<void>
}

interface Limits {
  /** How many are made at the same time. */
  slots: number
  /** Maximum number that is queued for requests, and in the background. */
  maxWaiting: number
  prepared: number
  /** How long a request waits for its thumbnail, in milliseconds. */
  timeoutMs: number
}

const defaultLimits = (): Limits => ({ slots: slots(), maxWaiting: 200, prepared: 5000, timeoutMs: 3000 })

const maxFailed = 1000
const retryMs = 60_000
/** Longer than a full queue takes, in milliseconds. */
const queueTimeoutMs = 10 * 60_000
/** How often the background work checks whether requests still wait, in milliseconds. */
const pauseMs = 100
/** The last use of a thumbnail is recorded at most once in this time, in milliseconds. */
const touchMs = 60 * 60_000
/** Files may share a blob and have different focus points: the crops of the last few points stay. */
const maxFocusPoints = 3

export function openThumbnails(
  { config, media, log }: { config: Config; media: Media; log: Logger },
  limits = defaultLimits(),
): Thumbnails {
  const limiter = createLimiter({ ...limits, timeoutMs: queueTimeoutMs })
  const making = new Map<string, Promise<void>>()
  /** Thumbnails that could not be made, by path, and until when they are not retried. */
  const failed = new Map<string, number>()
  const pending = new Map<string, ThumbnailRequest>()
  const eviction = createEviction(config, log)
  let working: Promise<void> | undefined
  const closing = new AbortController()

  const thumbnailPath = (request: ThumbnailRequest) => join(thumbsOf(config, request.hash), nameOf(request))
  const hasFailed = (path: string) => (failed.get(path) ?? 0) > performance.now()

  async function make(request: ThumbnailRequest, path: string): Promise<void> {
    const startedAt = performance.now()
    const image = await media.borrow(request.hash, original =>
      resize(original, request.size, { ...request, maxPixels: config.files.maxPixels }),
    )
    if (!image) return
    await writeWhole(path, image)
    eviction.written(image.length)
    if (request.size.crop) await removeFormer(path, request)
    log.debug({ thumb: nameOf(request), ms: Math.round(performance.now() - startedAt) }, 'made a thumbnail')
  }

  function giveUp(path: string, until: number): void {
    if (failed.size >= maxFailed) failed.clear()
    failed.set(path, until)
  }

  /** All requests for the same thumbnail wait for the same job, which continues when they time out. */
  function makeOnce(request: ThumbnailRequest, path: string): Promise<void> {
    let current = making.get(path)
    if (!current) {
      current = makeOrGiveUp(request, path).finally(() => making.delete(path))
      making.set(path, current)
    }
    return current
  }

  async function makeOrGiveUp(request: ThumbnailRequest, path: string): Promise<void> {
    try {
      await limiter.run(path, () => make(request, path))
    } catch (error) {
      if (error instanceof LimiterFull) return
      const isBroken = error instanceof InvalidImage
      giveUp(path, isBroken ? Infinity : performance.now() + retryMs)
      if (isBroken) log.debug({ thumb: nameOf(request), error: error.message }, 'could not make a thumbnail')
      else log.warn({ thumb: nameOf(request), err: error }, 'could not make a thumbnail now')
    }
  }

  /** One at a time, and only while no request waits: a request waits for at most one of them. */
  async function makePending(): Promise<void> {
    for (const [path, request] of pending) {
      while (!closing.signal.aborted && limiter.waiting > 0) await setTimeout(pauseMs, undefined, { ref: false })
      if (closing.signal.aborted) return
      pending.delete(path)
      const isThere = await access(path).then(() => true, () => false) // prettier-ignore
      if (!isThere && !hasFailed(path)) await makeOnce(request, path)
    }
  }

  return {
    async open(request) {
      const path = thumbnailPath(request)
      if (hasFailed(path)) return undefined
      const cached = await openUsed(path)
      if (cached) return cached
      await Promise.race([makeOnce(request, path), setTimeout(limits.timeoutMs, undefined, { ref: false })])
      return open(path).catch(missing)
    },

    prepare(requests) {
      for (const request of requests) if (pending.size < limits.prepared) pending.set(thumbnailPath(request), request)
      if (closing.signal.aborted || pending.size === 0) return
      working ??= makePending().finally(() => (working = undefined))
    },

    lengths: () => ({ running: limiter.running, waiting: limiter.waiting + pending.size }),

    async close() {
      closing.abort()
      await working
      await eviction.close()
    },
  }
}

/** A missing thumbnail is no error: the original is sent instead. */
function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
  return undefined
}

/** The modification time is the time of the last use: eviction removes the least recently used. */
async function openUsed(path: string): Promise<FileHandle | undefined> {
  const file = await open(path).catch(missing)
  if (!file) return undefined
  const { mtimeMs } = await file.stat()
  const now = new Date()
  // The file may belong to another user: then the time is not updated, but the file is sent.
  if (mtimeMs < now.getTime() - touchMs) await file.utimes(now, now).catch(() => undefined)
  return file
}

/** Removes crops of the same size and format around other focus points, except for the last few. */
async function removeFormer(path: string, { size: { width, height }, format }: ThumbnailRequest): Promise<void> {
  const folder = dirname(path)
  const alike = new RegExp(`^${width}x${height ?? ''}-crop-\\d+-\\d+\\.${format}$`)
  const paths = (await fileNamesIn(folder)).filter(name => alike.test(name)).map(name => join(folder, name))
  if (paths.length <= maxFocusPoints) return
  const times = await Promise.all(paths.map(async one => (await stat(one).catch(ignoreMissing))?.mtimeMs ?? 0))
  const former = paths.map((one, index) => ({ one, time: one === path ? Infinity : times[index]! }))
  for (const { one } of former.toSorted((a, b) => b.time - a.time).slice(maxFocusPoints)) await rm(one, { force: true })
}

/** `352x235-crop-50-30.webp` */
export function nameOf({ size: { width, height, crop = false }, format, focus }: ThumbnailRequest): string {
  const around = crop ? `-crop-${Math.round(focus.x * 100)}-${Math.round(focus.y * 100)}` : ''
  return `${width}x${height ?? ''}${around}.${format}`
}

/** Two processes may make the same thumbnail: each writes a temporary file, and the last rename wins. */
async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${createId(12)}`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await writeAll(file, bytes)
      await file.sync() // otherwise a power failure could leave an empty file under this name
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/**
 * One core stays free for requests; of the threads of Node's pool, two stay free for password hashes and one for files.
 */
function slots(): number {
  const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4)
  return Math.max(1, Math.min(availableParallelism() - 1, threads - 3))
}

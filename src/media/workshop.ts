import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { fail } from '../errors.ts'
import { createId } from '../lib/id.ts'
import { createQueue, QueueFull } from '../lib/queue.ts'
import { thumbsOf } from './blobs.ts'
import type { Media } from './media.ts'
import { type Focus, type Format, NoPicture, resize } from './resize.ts'
import { ignoreMissing, namesIn, writeAll } from './temporary.ts'
import type { Size } from './thumbs.ts'

/** What is wanted of some bytes. */
export interface Order {
  hash: string
  size: Size
  format: Format
  focus: Focus
}

/** Makes smaller pictures, each once, a few at a time, and keeps them on this machine. */
export interface Workshop {
  /** Open, to be read and closed. Undefined if no smaller one can be made, or the bytes are not there. */
  thumb(order: Order): Promise<FileHandle | undefined>
}

const mostHopeless = 1000
const later = 60_000
/** Files may have the same bytes and different focus points: those of the last few stay. */
const mostAround = 3

export function openWorkshop(
  { config, media, log }: { config: Config; media: Media; log: Logger },
  line = { slots: slots(), waiting: 200, timeout: 15_000 },
): Workshop {
  const queue = createQueue(line)
  const making = new Map<string, Promise<void>>()
  /** What cannot be made smaller is not tried again and again: until when. */
  const hopeless = new Map<string, number>()

  async function make(order: Order, path: string): Promise<void> {
    const begun = performance.now()
    const picture = await media.borrow(order.hash, original =>
      resize(original, order.size, { ...order, maxPixels: config.files.maxPixels }),
    )
    if (!picture) return
    await writeWhole(path, picture)
    if (order.size.crop) await removeFormer(path, order)
    log.debug({ thumb: nameOf(order), ms: Math.round(performance.now() - begun) }, 'made a thumbnail')
  }

  function giveUp(path: string, until: number): void {
    if (hopeless.size >= mostHopeless) hopeless.clear()
    hopeless.set(path, until)
  }

  /** Whoever asks while it is being made waits for the same one. */
  async function makeOnce(order: Order, path: string): Promise<void> {
    let made = making.get(path)
    if (!made) {
      made = queue.run(path, () => make(order, path)).finally(() => making.delete(path))
      making.set(path, made)
    }
    try {
      await made
    } catch (error) {
      if (error instanceof QueueFull) throw fail('busy').with({ headers: { 'retry-after': '2' } })
      const isHopeless = error instanceof NoPicture
      giveUp(path, isHopeless ? Infinity : performance.now() + later)
      if (isHopeless) log.debug({ thumb: nameOf(order), error: error.message }, 'could not make a thumbnail')
      else log.warn({ thumb: nameOf(order), err: error }, 'could not make a thumbnail now')
    }
  }

  return {
    async thumb(order) {
      const path = join(thumbsOf(config, order.hash), nameOf(order))
      if ((hopeless.get(path) ?? 0) > performance.now()) return undefined
      const kept = await open(path).catch(ignoreMissing)
      if (kept) return kept
      await makeOnce(order, path)
      return open(path).catch(ignoreMissing)
    },
  }
}

/** Those of the same size and format around other points, but for the last few. */
async function removeFormer(path: string, { size: { width, height }, format }: Order): Promise<void> {
  const folder = dirname(path)
  const alike = new RegExp(`^${width}x${height ?? ''}-crop-\\d+-\\d+\\.${format}$`)
  const paths = (await namesIn(folder)).filter(name => alike.test(name)).map(name => join(folder, name))
  if (paths.length <= mostAround) return
  const times = await Promise.all(paths.map(async one => (await stat(one).catch(ignoreMissing))?.mtimeMs ?? 0))
  const former = paths.map((one, index) => ({ one, time: one === path ? Infinity : times[index]! }))
  for (const { one } of former.toSorted((a, b) => b.time - a.time).slice(mostAround)) await rm(one, { force: true })
}

/** `352x235-crop-50-30.webp` */
export function nameOf({ size: { width, height, crop = false }, format, focus }: Order): string {
  const around = crop ? `-crop-${Math.round(focus.x * 100)}-${Math.round(focus.y * 100)}` : ''
  return `${width}x${height ?? ''}${around}.${format}`
}

/** Two processes may make the same one: each under a name of its own, and the last keeps the name. */
async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${createId(12)}`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await writeAll(file, bytes)
      await file.sync() // or a power cut could leave the name with nothing behind it
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** One core stays free for requests; of the threads of the pool, two for passwords and one for files. */
function slots(): number {
  const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4)
  return Math.max(1, Math.min(availableParallelism() - 1, threads - 3))
}

import type { Dirent } from 'node:fs'
import { opendir, readdir, rmdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'

/** Keeps the folder of thumbnails below `media.thumbsMaxSize`. Any number of processes may do it on one folder. */
export interface Eviction {
  /** Reports that this process has written so many bytes. */
  written(bytes: number): void
  close(): Promise<void>
}

/** A process checks the whole folder again after it has written this part of the limit. */
const recheckShare = 1 / 20
/** Target size of an eviction, as a part of the limit, so that the next one is not due at once. */
const targetShare = 0.9
const minuteMs = 60_000

export function createEviction(config: Config, log: Logger): Eviction {
  let bytes = 0
  let running: Promise<void> | undefined
  return {
    written(more) {
      bytes += more
      if (running || bytes < config.media.thumbsMaxSize * recheckShare) return
      bytes = 0
      running = evictThumbs(config)
        .catch((error: unknown) => log.warn({ err: error }, 'could not remove old thumbnails'))
        .finally(() => (running = undefined))
    },
    async close() {
      await running
    },
  }
}

/** Removes the least recently used thumbnails, if they exceed the limit. */
export async function evictThumbs(config: Pick<Config, 'data' | 'media'>): Promise<void> {
  const folder = join(config.data, 'thumbs')
  const { thumbsMaxSize } = config.media
  // Bytes by the minute of the last use: the paths of all files might not fit into memory.
  const byMinute = new Map<number, number>()
  let total = 0
  for await (const { minute, size } of thumbsIn(folder)) {
    byMinute.set(minute, (byMinute.get(minute) ?? 0) + size)
    total += size
  }
  if (total <= thumbsMaxSize) return
  let excess = total - thumbsMaxSize * targetShare
  let last = -Infinity
  for (const [minute, size] of [...byMinute].toSorted(([a], [b]) => a - b)) {
    if (excess <= 0) break
    excess -= size
    last = minute
  }
  // Of the last minute remove only as much as necessary.
  let keepBytes = -excess
  for await (const { path, minute, size } of thumbsIn(folder)) {
    if (minute > last) continue
    if (minute === last && keepBytes >= size) keepBytes -= size
    else await unlink(path).catch(ignoreGone)
  }
  await removeEmpty(folder)
}

interface Thumb {
  path: string
  size: number
  minute: number
}

async function* thumbsIn(folder: string): AsyncGenerator<Thumb> {
  for await (const { parentPath, name } of foldersIn(folder)) {
    const inner = join(parentPath, name)
    for (const file of (await readdir(inner).catch(ignoreGone)) ?? []) {
      const path = join(inner, file)
      const found = await stat(path).catch(ignoreGone)
      if (found?.isFile()) yield { path, size: found.size, minute: Math.floor(found.mtimeMs / minuteMs) }
    }
  }
}

async function* foldersIn(folder: string): AsyncGenerator<Dirent> {
  const opened = await opendir(folder).catch(ignoreGone)
  if (!opened) return
  for await (const entry of opened) if (entry.isDirectory()) yield entry
}

async function removeEmpty(folder: string): Promise<void> {
  for await (const { parentPath, name } of foldersIn(folder))
    await rmdir(join(parentPath, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') ignoreGone(error)
    })
}

/** Another process may have removed it a moment ago. */
function ignoreGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
  return undefined
}

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { access, type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { chunks } from '../lib/chunks.ts'
import { createId } from '../lib/id.ts'
import { type Media, mustBeHash, type Range } from './media.ts'
import { ignoreMissing, namesIn, openTemporary } from './temporary.ts'

/** Bytes in a folder: `ab/ab12…`, each file whole from the moment that it has its name. */
export function openDisk(folder: string): Media {
  const temporary = openTemporary(join(folder, 'tmp'))

  function pathOf(hash: string): string {
    mustBeHash(hash)
    return join(folder, hash.slice(0, 2), hash)
  }
  const parts = new Set<string>()
  /** True if it had not been there. */
  function makePart(part: string): boolean {
    if (parts.has(part)) return false
    parts.add(part)
    return mkdirSync(part, { recursive: true, mode: 0o700 }) !== undefined
  }

  return {
    receive: (source, limit) =>
      temporary.receive(source, limit, async ({ hash, path }) => {
        const place = pathOf(hash)
        if (await access(place).then(() => true, ignoreMissing)) return
        const isNew = (await mkdir(dirname(place), { recursive: true, mode: 0o700 })) !== undefined
        await sync(path, 'r+')
        await rename(path, place)
        const folders = isNew ? [dirname(place), folder, dirname(folder)] : [dirname(place)]
        for (const changed of folders) await syncFolder(changed)
      }),

    async keepAll(blobs) {
      const fresh = new Map(
        blobs.filter(({ hash }) => !existsSync(pathOf(hash))).map(({ hash, bytes }) => [hash, bytes]),
      )
      if (fresh.size === 0) return
      const places = new Set(Array.from(fresh.keys(), hash => dirname(pathOf(hash))))
      const isNew = [...places].filter(makePart).length > 0
      const place = dirname(await temporary.path())
      // What is small is written sooner than somebody else could be asked to do it; only the disk is waited for, by all at once.
      const written = [...fresh].map(([hash, bytes]) => ({ hash, path: writeNew(join(place, createId(20)), bytes) }))
      await syncAll(
        folder,
        written.map(({ path }) => path),
      )
      for (const { hash, path } of written) renameSync(path, pathOf(hash))
      await syncAll(folder, isNew ? [...places, folder, dirname(folder)] : [...places])
    },

    async open(hash, range) {
      const file = await open(pathOf(hash)).catch(ignoreMissing)
      return file && readFrom(file, range)
    },

    async borrow(hash, work) {
      const path = pathOf(hash)
      return (await access(path).then(() => true, ignoreMissing)) ? work(path) : undefined
    },

    async size(hash) {
      return (await stat(pathOf(hash)).catch(ignoreMissing))?.size
    },

    async remove(hash) {
      await rm(pathOf(hash), { force: true })
    },

    async *list() {
      for (const part of await namesIn(folder)) if (/^[0-9a-f]{2}$/.test(part)) yield* await namesIn(join(folder, part))
    },

    sweep: olderThan => temporary.sweep(olderThan),
  }
}

/** The file is closed with the stream, however that ends. */
export function readFrom(file: FileHandle, range?: Range): Readable {
  return file.createReadStream({ ...range, highWaterMark: 256 * 1024 })
}

function writeNew(path: string, bytes: Uint8Array): string {
  writeFileSync(path, bytes, { flag: 'wx', mode: 0o600 })
  return path
}

const atOnce = 8
/** So many are worth asking for all that is on the disk; fewer are asked one by one. */
const many = 50
const run = promisify(execFile)

/** When it resolves, these files and folders are on the disk. Linux can be told once for all that is there. */
async function syncAll(folder: string, paths: readonly string[]): Promise<void> {
  if (process.platform === 'linux' && paths.length >= many) {
    const isDone = await run('sync', ['--file-system', folder]).then(
      () => true,
      () => false,
    )
    if (isDone) return
  }
  for (const some of chunks(paths, atOnce)) await Promise.all(some.map(path => syncOne(path)))
}

const syncOne = (path: string) => (statSync(path).isDirectory() ? syncFolder(path) : sync(path, 'r+'))

/** A name is kept only when its folder is. Windows does it by itself and cannot be asked. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform !== 'win32') await sync(folder, 'r')
}

async function sync(path: string, flags: string): Promise<void> {
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

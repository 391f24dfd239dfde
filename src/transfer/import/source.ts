import { isUtf8 } from 'node:buffer'
import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { byName } from '../../groups/files/order.ts'
import { CannotImport, type ImportReport, skip } from './report.ts'

export interface SourceEntry {
  name: string
  /** Relative to the top of the folder, with slashes. */
  path: string
  isFolder: boolean
}

/** The folder to import. Nothing outside of it is read, and nothing in it is written. */
export interface ImportSource {
  /** Sorted by name, with digits as numbers. Entries that are neither files nor folders are reported. */
  list(path: string): SourceEntry[]
  has(path: string): boolean
  /** Undefined, and reported, if it cannot be read, is too large or is not text. */
  text(path: string, limit?: number): { text: string; modified: number } | undefined
  /**
   * Reads a whole small file; undefined if it is larger than `limit` bytes or cannot be read, which `open` then reports.
   */
  small(path: string, limit: number): { bytes: Buffer; modified: number } | undefined
  /** Opens a file of any size. Undefined, and reported, if it cannot be read. The caller closes it. */
  open(path: string): Promise<Opened | undefined>
}

export interface Opened {
  file: FileHandle
  path: string
  size: number
  modified: number
}

const maxText = 5 * 1024 * 1024
/** Does not follow symbolic links, and does not block on a named pipe. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export function openSource(folder: string, report: ImportReport): ImportSource {
  let root: string
  try {
    root = realpathSync(folder)
    readdirSync(root)
  } catch {
    throw new CannotImport(`${folder} is no folder that can be read.`)
  }

  function attempt<Value>(path: string, read: () => Value): Value | undefined {
    try {
      return read()
    } catch (error) {
      skip(report, path, reasonFor(error))
      return undefined
    }
  }

  function list(path: string): SourceEntry[] {
    const found = attempt(path, () => readdirSync(`${root}/${path}`, { withFileTypes: true })) ?? []
    const entries = found.flatMap(entry => {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`
      const problem = problemWith(entry)
      if (problem !== undefined) skip(report, inner, problem)
      return problem === undefined ? [{ name: entry.name, path: inner, isFolder: entry.isDirectory() }] : []
    })
    return byName(entries, ({ name }) => name)
  }

  return {
    list,
    has: path => {
      const [name, above] = [path.slice(path.lastIndexOf('/') + 1), path.slice(0, Math.max(path.lastIndexOf('/'), 0))]
      try {
        return readdirSync(join(root, above), { withFileTypes: true }).some(
          entry => entry.name === name && entry.isDirectory(),
        )
      } catch {
        return false
      }
    },
    text: (path, limit = maxText) =>
      attempt(path, () => {
        const { bytes, modified } = readBytes(`${root}/${path}`, limit)
        if (!isUtf8(bytes)) throw new Refused('this is not UTF-8 text')
        const text = bytes.toString()
        if (text.includes('\0')) throw new Refused('this is no text')
        return { text, modified }
      }),
    small(path, limit) {
      try {
        return readBytes(`${root}/${path}`, limit)
      } catch {
        return undefined
      }
    },
    async open(path) {
      try {
        const file = await open(join(root, path), flags)
        const stat = await file.stat()
        if (stat.isFile()) return { file, path: join(root, path), size: stat.size, modified: Math.floor(stat.mtimeMs) }
        await file.close()
        skip(report, path, 'this is neither a file nor a folder')
      } catch (error) {
        skip(report, path, reasonFor(error))
      }
      return undefined
    },
  }
}

/** Its message is reported unchanged. */
class Refused extends Error {}

function problemWith(entry: Dirent): string | undefined {
  if (entry.isSymbolicLink()) return 'this is a link to somewhere else'
  return entry.isFile() || entry.isDirectory() ? undefined : 'this is neither a file nor a folder'
}

function readBytes(path: string, limit: number): { bytes: Buffer; modified: number } {
  const file = openSync(path, flags)
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw new Refused('this is neither a file nor a folder')
    if (stat.size > limit) throw new Refused(`this is larger than ${Math.floor(limit / 1024)} KB`)
    const bytes = Buffer.allocUnsafe(stat.size)
    let length = 0
    for (let count = 1; count > 0 && length < bytes.length; length += count)
      count = readSync(file, bytes, length, bytes.length - length, length)
    return { bytes: bytes.subarray(0, length), modified: Math.floor(stat.mtimeMs) }
  } finally {
    closeSync(file)
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this may not be read',
  ELOOP: 'this is a link to somewhere else',
  EMLINK: 'this is a link to somewhere else',
  ENAMETOOLONG: 'this is nested too deeply',
  ENOENT: 'this cannot be found under its name',
  ENOTDIR: 'this must be a folder',
}

function reasonFor(error: unknown): string {
  if (error instanceof Refused) return error.message
  return reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? 'this cannot be read'
}

import {
  chmodSync,
  closeSync, futimesSync, lstatSync, mkdirSync, openSync, readdirSync, realpathSync, renameSync, rmSync, utimesSync,
  writeFileSync,
} from 'node:fs' // prettier-ignore
import { copyFile, constants } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { skip } from '../import/report.ts'
import { release } from '../../platform/release.ts'
import { CannotExport, type ExportReport } from './report.ts'

/** A folder that is being written: its path on this machine, and its name in reports. */
export interface ExportFolder {
  path: string
  shown: string
}

export interface FileTimes {
  /** When it was last changed, in ms since 1970. */
  modified?: number
}

/** The folder of an export. It is replaced only when everything is written; nothing outside of it is touched. */
export interface Target {
  top: ExportFolder
  /** Undefined, and reported, if the name is not valid. The folder is created when the first file is written to it. */
  folder(parent: ExportFolder, ...names: string[]): ExportFolder | undefined
  text(parent: ExportFolder, name: string, text: string, details?: FileTimes): void
  /** Copies a file of this machine. True if the copy exists. */
  copy(parent: ExportFolder, name: string, from: string, modified: number): Promise<boolean>
  /** Replaces the previous export. */
  finish(): void
  /** Removes everything that has been written. */
  discard(): void
}

/** Files are written here first; the rest of the folder does not change until the export is complete. */
const staging = '.quoin-export'
/** Marks a folder that an export has made and may replace. */
const marker = '.quoin-export.json'
/** The folders that an export creates and replaces. Others in the target stay unchanged. */
const parts = ['content', 'site/blueprints', 'site/languages', 'site/accounts', 'site/redirects', 'site/documents']

export function openTarget(folderPath: string, report: ExportReport, { force }: { force: boolean }): Target {
  const root = rootOf(folderPath)
  mustBeFree(root, force)
  const [fresh, former] = [join(root, staging, 'new'), join(root, staging, 'old')]
  restore()
  discard()
  mkdirSync(fresh, { recursive: true, mode: 0o700 })
  const known = new Set<string>()
  const readable = 0o666 & ~process.umask()

  function discard(): void {
    rmSync(join(root, staging), { recursive: true, force: true })
  }

  /** Restores the previous folders after an export that was interrupted while it replaced them. */
  function restore(): void {
    for (const part of parts)
      if (existsAt(join(former, part)) && !existsAt(join(root, part))) renameSync(join(former, part), join(root, part))
  }

  /** Remembers only the folders of the last pages, to limit memory: creating one again is harmless. */
  function make(path: string): void {
    if (known.has(path)) return
    if (known.size > 1000) known.clear()
    known.add(path)
    const secret = secretIn(path)
    if (secret !== undefined) mkdirSync(dirname(secret), { recursive: true })
    mkdirSync(path, { recursive: true, mode: secret === undefined ? 0o777 : 0o700 })
  }

  /** The topmost folder of the path that must be readable by its owner only: drafts, accounts and documents of extensions are not public. */
  function secretIn(path: string): string | undefined {
    const names = path.slice(fresh.length + 1).split(sep)
    const own = names[0] === 'site' && /^(?:accounts|documents)$/.test(names[1] ?? '') ? 1 : -1
    const at = Math.max(names[0] === 'content' ? names.indexOf('_drafts') : -1, own)
    return at < 0 ? undefined : join(fresh, ...names.slice(0, at + 1))
  }

  /** Reports an error that concerns only this file and returns false; any other error ends the export. */
  function attempt({ shown }: ExportFolder, name: string, error: unknown): false {
    const reason = reasons[(error as NodeJS.ErrnoException).code ?? '']
    if (reason === undefined) throw error
    skip(report, `${shown}/${name}`, reason)
    return false
  }

  function isUsableName({ shown }: ExportFolder, name: string): boolean {
    const fits = namePattern.test(name) && Buffer.byteLength(name) <= maxNameLength
    if (!fits) skip(report, `${shown}/${name}`, 'no file can have this name')
    return fits
  }

  return {
    top: { path: fresh, shown: '' },

    folder(parent, ...names) {
      let folder: ExportFolder = parent
      for (const name of names) {
        if (!isUsableName(folder, name)) return undefined
        folder = { path: join(folder.path, name), shown: folder.shown === '' ? name : `${folder.shown}/${name}` }
      }
      return folder
    },

    text(parent, name, text, { modified } = {}) {
      if (!isUsableName(parent, name)) return
      try {
        make(parent.path)
        const file = openSync(join(parent.path, name), 'wx', secretIn(parent.path) === undefined ? 0o666 : 0o600)
        try {
          writeFileSync(file, text)
          if (modified !== undefined) futimesSync(file, modified / 1000, modified / 1000)
        } finally {
          closeSync(file)
        }
      } catch (error) {
        attempt(parent, name, error)
      }
    },

    async copy(parent, name, from, modified) {
      if (!isUsableName(parent, name)) return false
      const path = join(parent.path, name)
      try {
        make(parent.path)
        await copyFile(from, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
        chmodSync(path, secretIn(parent.path) === undefined ? readable : 0o600)
        utimesSync(path, modified / 1000, modified / 1000)
        return true
      } catch (error) {
        return attempt(parent, name, error)
      }
    },

    finish() {
      mustHaveFolder(join(root, 'site'))
      mkdirSync(join(former, 'site'), { recursive: true })
      for (const part of parts) {
        if (existsAt(join(root, part))) renameSync(join(root, part), join(former, part))
        if (!existsAt(join(fresh, part))) continue
        mkdirSync(dirname(join(root, part)), { recursive: true })
        renameSync(join(fresh, part), join(root, part))
      }
      writeFileSync(join(root, staging, marker), `${JSON.stringify({ release })}\n`)
      renameSync(join(root, staging, marker), join(root, marker))
      discard()
    },

    discard,
  }
}

/** One part of a path, never `.` or `..`. */
const namePattern = /^(?!\.{1,2}$)[^/\\\p{Cc}]+$/u
const maxNameLength = 255

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'there is something else of this name',
  EILSEQ: 'no file can have this name here',
  EINVAL: 'no file can have this name here',
  ENAMETOOLONG: 'its path would be too long',
}

const existsAt = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined

function rootOf(path: string): string {
  const folder = resolve(path)
  try {
    mkdirSync(folder, { recursive: true })
    return realpathSync(folder)
  } catch (error) {
    throw new CannotExport(`${folder} cannot be written to (${(error as NodeJS.ErrnoException).code}).`)
  }
}

/** A previous export may be replaced; a folder that was not made by an export may not. */
function mustBeFree(root: string, force: boolean): void {
  mustHaveFolder(join(root, staging))
  mustHaveFolder(join(root, 'site'))
  const names = readdirSync(root)
  if (force || names.includes(marker) || names.includes(staging)) return
  if (names.some(name => !/^\.git(?:ignore|attributes)?$/.test(name)))
    throw new CannotExport(
      `${root} is not empty and was not created by an export. --force replaces its content/ and site/ folders.`,
    )
}

/** A symbolic link could lead out of the target. */
function mustHaveFolder(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat && !stat.isDirectory()) throw new CannotExport(`${path} is no folder.`)
}

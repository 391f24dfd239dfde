import {
  chmodSync,
  closeSync, futimesSync, lstatSync, mkdirSync, openSync, readdirSync, realpathSync, renameSync, rmSync, utimesSync,
  writeFileSync,
} from 'node:fs' // prettier-ignore
import { copyFile, constants } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { skip } from '../import/report.ts'
import { release } from '../../platform/release.ts'
import { CannotExport, type Report } from './report.ts'

/** A folder that is being written: where it is on this machine, and how it is called in reports. */
export interface Folder {
  path: string
  shown: string
}

export interface Details {
  /** When it was last changed, in milliseconds since 1970. */
  modified?: number
}

/** What is exported into. It has its place only when all of it is written; nothing outside of it is touched. */
export interface Target {
  top: Folder
  /** Undefined, and reported, where no folder can have this name. Made when something is written to it. */
  folder(parent: Folder, ...names: string[]): Folder | undefined
  text(parent: Folder, name: string, text: string, details?: Details): void
  /** A copy of a file of this machine. True if it is there. */
  copy(parent: Folder, name: string, from: string, modified: number): Promise<boolean>
  /** Takes the place of what was exported there before. */
  finish(): void
  /** Nothing of it stays. */
  discard(): void
}

/** While it is written, it is here; the rest of the folder stays as it was until then. */
const staging = '.quoin-export'
/** Says that what is here was made by an export, and may be made anew. */
const marker = '.quoin-export.json'
/** What an export makes, and replaces. All else in the folder stays. */
const parts = ['content', 'site/blueprints', 'site/languages', 'site/accounts']

export function openTarget(given: string, report: Report, { force }: { force: boolean }): Target {
  const root = rootOf(given)
  mustBeFree(root, force)
  const [fresh, former] = [join(root, staging, 'new'), join(root, staging, 'old')]
  restore()
  discard()
  mkdirSync(fresh, { recursive: true, mode: 0o700 })
  const made = new Set<string>()
  const readable = 0o666 & ~process.umask()

  function discard(): void {
    rmSync(join(root, staging), { recursive: true, force: true })
  }

  /** Of an export that was stopped while it changed places. */
  function restore(): void {
    for (const part of parts)
      if (existsAt(join(former, part)) && !existsAt(join(root, part))) renameSync(join(former, part), join(root, part))
  }

  /** Those of the last few pages are asked for again; the names of all would only fill the memory. */
  function make(path: string): void {
    if (made.has(path)) return
    if (made.size > 1000) made.clear()
    made.add(path)
    const secret = secretIn(path)
    if (secret !== undefined) mkdirSync(dirname(secret), { recursive: true })
    mkdirSync(path, { recursive: true, mode: secret === undefined ? 0o777 : 0o700 })
  }

  /** The topmost folder of the path that only its owner may read, as drafts and accounts are for nobody else. */
  function secretIn(path: string): string | undefined {
    const names = path.slice(fresh.length + 1).split(sep)
    const accounts = names[0] === 'site' && names[1] === 'accounts' ? 1 : -1
    const at = Math.max(names[0] === 'content' ? names.indexOf('_drafts') : -1, accounts)
    return at < 0 ? undefined : join(fresh, ...names.slice(0, at + 1))
  }

  /** False, and reported, where this cannot be written for what it is; whatever else goes wrong ends the export. */
  function attempt({ shown }: Folder, name: string, error: unknown): false {
    const reason = reasons[(error as NodeJS.ErrnoException).code ?? '']
    if (reason === undefined) throw error
    skip(report, `${shown}/${name}`, reason)
    return false
  }

  function isFit({ shown }: Folder, name: string): boolean {
    const fits = nameForm.test(name) && Buffer.byteLength(name) <= maxNameLength
    if (!fits) skip(report, `${shown}/${name}`, 'no file can have this name')
    return fits
  }

  return {
    top: { path: fresh, shown: '' },

    folder(parent, ...names) {
      let folder: Folder = parent
      for (const name of names) {
        if (!isFit(folder, name)) return undefined
        folder = { path: join(folder.path, name), shown: folder.shown === '' ? name : `${folder.shown}/${name}` }
      }
      return folder
    },

    text(parent, name, text, { modified } = {}) {
      if (!isFit(parent, name)) return
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
      if (!isFit(parent, name)) return false
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

/** One part of a path, and never one that leads upwards. */
const nameForm = /^(?!\.{1,2}$)[^/\\\p{Cc}]+$/u
const maxNameLength = 255

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'there is something else of this name',
  EILSEQ: 'no file can have this name here',
  EINVAL: 'no file can have this name here',
  ENAMETOOLONG: 'its path would be too long',
}

const existsAt = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined

function rootOf(given: string): string {
  const folder = resolve(given)
  try {
    mkdirSync(folder, { recursive: true })
    return realpathSync(folder)
  } catch (error) {
    throw new CannotExport(`${folder} cannot be written to (${(error as NodeJS.ErrnoException).code}).`)
  }
}

/** What was exported before may be replaced; what somebody else has made is left alone. */
function mustBeFree(root: string, force: boolean): void {
  mustHaveFolder(join(root, staging))
  mustHaveFolder(join(root, 'site'))
  const names = readdirSync(root)
  if (force || names.includes(marker) || names.includes(staging)) return
  if (names.some(name => !/^\.git(?:ignore|attributes)?$/.test(name)))
    throw new CannotExport(
      `${root} is not empty, and no export has made it. With --force what stands in its content/ and site/ is replaced.`,
    )
}

/** A link there would lead elsewhere. */
function mustHaveFolder(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat && !stat.isDirectory()) throw new CannotExport(`${path} is no folder.`)
}

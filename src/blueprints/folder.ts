import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { Problem } from './blueprints.ts'

/** The content of the folder `blueprints` of a site. */
export interface Folder {
  /** `fields/street` → its text; undefined if the file exists but cannot be read. */
  texts: ReadonlyMap<string, string | undefined>
  /** The folder and its subfolders; empty if it does not exist. */
  folders: readonly string[]
  problems: readonly Problem[]
}

const maxFiles = 2000
const maxBytes = 100 * 1024
const maxDepth = 5
const plainName = /^[\w-]+$/

/** Reads all blueprint files of a site. Unreadable files are reported. Nothing outside of the folder is read. */
export function readFolder(site: string): Folder {
  const root = join(site, 'blueprints')
  const texts = new Map<string, string | undefined>()
  const folders: string[] = []
  const problems: Problem[] = []
  const refuse = (path: string, message: string) =>
    void problems.push({ file: `blueprints${path}`, line: 1, column: 1, message })

  function walk(path: string, depth: number): void {
    const entries = attempt(path, () => readdirSync(root + path, { withFileTypes: true }))
    if (!entries) return
    folders.push(root + path)
    for (const entry of entries.toSorted(byName)) {
      const inner = `${path}/${entry.name}`
      if (entry.name.startsWith('.')) continue
      if (texts.size >= maxFiles)
        return refuse(inner, `there are more than ${maxFiles} blueprints; this one is not read`)
      if (!entry.isDirectory()) readEntry(inner, entry)
      else if (depth >= maxDepth) refuse(inner, 'this folder is nested too deeply and is not read')
      else walk(inner, depth + 1)
    }
  }

  function readEntry(path: string, entry: Dirent): void {
    if (entry.name.endsWith('.yaml')) return refuse(path, 'the name of a blueprint ends with .yml')
    if (!entry.name.endsWith('.yml')) return
    const name = path.slice(1, -'.yml'.length)
    if (!name.split('/').every(part => plainName.test(part)))
      return refuse(path, 'the name of a blueprint has only letters, digits, - and _')
    texts.set(
      name,
      attempt(path, () => readText(path, entry)),
    )
  }

  function readText(path: string, entry: Dirent): string | undefined {
    const real = entry.isSymbolicLink() ? realpathSync(root + path) : root + path
    if (real !== root + path && !real.startsWith(realpathSync(root) + sep)) refuse(path, 'this leads out of the folder')
    else if (!statSync(real).isFile()) refuse(path, 'this is not a file')
    else if (statSync(real).size > maxBytes) refuse(path, `this is larger than ${maxBytes / 1024} KB`)
    else return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(real))
    return undefined
  }

  function attempt<Value>(path: string, read: () => Value): Value | undefined {
    try {
      return read()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (path !== '' || code !== 'ENOENT') refuse(path, reasons[code ?? ''] ?? 'this cannot be read')
      return undefined
    }
  }

  walk('', 1)
  return { texts, folders, problems }
}

const byName = (one: Dirent, other: Dirent) => (one.name < other.name ? -1 : 1)

const reasons: Record<string, string> = {
  EACCES: 'the server may not read this',
  ENOTDIR: 'this must be a folder',
  ENOENT: 'this leads nowhere',
  ELOOP: 'this leads nowhere',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'this is not UTF-8 text',
}

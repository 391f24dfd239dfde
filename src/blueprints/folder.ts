import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { BlueprintProblem } from './blueprints.ts'

/** The content of the folder `blueprints` of a site, and of those that extensions add. */
export interface BlueprintFolder {
  /** `fields/street` → its text; undefined if the file exists but cannot be read. */
  texts: ReadonlyMap<string, string | undefined>
  /** `fields/street` → the path of its file, as problems show it: only blueprints of extensions. */
  paths: ReadonlyMap<string, string>
  /** The folder and its subfolders; empty if it does not exist. */
  folders: readonly string[]
  problems: readonly BlueprintProblem[]
}

const maxFiles = 2000
const maxBytes = 100 * 1024
const maxDepth = 5
const plainName = /^[\w-]+$/

/** What extensions may describe. Roles would grant permissions, and a site has one blueprint. */
const sharedKinds = new Set(['blocks', 'fields', 'files', 'pages', 'sections', 'tabs'])

/**
 * Reads all blueprint files of a site and of extensions (`added`, absolute paths). Of files with the same name, that of
 * the site takes precedence, then that of the first folder.
 */
export function readFolder(site: string, added: readonly string[] = []): BlueprintFolder {
  const own = readOne(join(site, 'blueprints'), 'blueprints')
  if (added.length === 0) return { ...own, paths: new Map() }
  const texts = new Map<string, string | undefined>()
  const paths = new Map<string, string>()
  const others = added.map(root => ({ shown: relative(site, root), folder: readOne(root, relative(site, root)) }))
  const problems = [...own.problems, ...others.flatMap(({ folder }) => folder.problems)]
  for (const { shown, folder } of others) {
    for (const [name, text] of folder.texts) {
      const file = `${shown}/${name}.yml`
      if (!sharedKinds.has(name.split('/')[0]!)) {
        problems.push({
          file,
          line: 1,
          column: 1,
          message: 'an extension can only describe blocks, fields, sections, tabs, pages and files',
        })
      } else if (!texts.has(name)) {
        texts.set(name, text)
        paths.set(name, file)
      }
    }
  }
  for (const [name, text] of own.texts) {
    texts.set(name, text)
    paths.delete(name)
  }
  return {
    texts,
    paths,
    folders: [own, ...others.map(({ folder }) => folder)].flatMap(({ folders }) => folders),
    problems,
  }
}

/** Unreadable files are reported. Nothing outside of the folder is read. `shown` names the folder in problems. */
function readOne(root: string, shown: string): Omit<BlueprintFolder, 'paths'> {
  const texts = new Map<string, string | undefined>()
  const folders: string[] = []
  const problems: BlueprintProblem[] = []
  let isFull = false
  const refuse = (path: string, message: string) =>
    void problems.push({ file: shown + path, line: 1, column: 1, message })

  function walk(path: string, depth: number): void {
    const entries = attempt(path, () => readdirSync(root + path, { withFileTypes: true }))
    if (!entries) return
    folders.push(root + path)
    for (const entry of entries.toSorted(byName)) {
      if (isFull) return
      const inner = `${path}/${entry.name}`
      if (entry.name.startsWith('.')) continue
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
    isFull = texts.size >= maxFiles
    if (isFull)
      return refuse(path, `there are more than ${maxFiles} blueprints; this one and those after it are not read`)
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
  ENOENT: 'this link is broken',
  ELOOP: 'this link leads back to itself',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'this is not UTF-8 text',
}

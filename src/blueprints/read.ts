import { isDeepStrictEqual } from 'node:util'
import { parseSiteBlueprint, type BlueprintContext } from './common-settings.ts'
import type { Blueprint, FileBlueprint, PageBlueprint, BlueprintProblem, RoleBlueprint } from './blueprints.ts'
import { builtIn } from './built-in.ts'
import { parseFields } from './parse-fields.ts'
import { type ParseContext, maxNodes, maxNodesInAll } from './parse-context.ts'
import type { FieldType } from './fields/field.ts'
import { fieldTypes } from './fields/index.ts'
import { findBlock } from './fieldsets.ts'
import { parseFileBlueprint } from './file.ts'
import { type BlueprintFolder, readFolder } from './folder.ts'
import { parsePageBlueprint } from './page.ts'
import { isQuery, wrongQueries } from './query.ts'
import { builtInPermissions, type SitePermissions } from './permissions/create.ts'
import { nobody, type Permissions } from './permissions/permissions.ts'
import { parseNobody, parseRole, parseUserBlueprint } from './role.ts'
import { isEntries, isList, type YamlNode, parse, type ReportProblem } from './source.ts'

/** The blueprints of a site as they are on the disk at one moment. */
export interface LoadedBlueprints {
  folder: BlueprintFolder
  problems: readonly BlueprintProblem[]
  site: Blueprint
  pages: ReadonlyMap<string, PageBlueprint>
  files: ReadonlyMap<string, FileBlueprint>
  roles: ReadonlyMap<string, RoleBlueprint>
  /** What anonymous clients may read; undefined without `users/nobody.yml`. */
  nobody: Permissions | undefined
  /** The blueprint of accounts whose role has no file. */
  user: Blueprint | undefined
}

/** What blueprints are made of: what is built in, and what extensions add. */
export interface BlueprintParts {
  types: Readonly<Record<string, FieldType>>
  permissions: SitePermissions
  /** Further folders with blueprints, as absolute paths. */
  folders: readonly string[]
}

export const builtInParts: BlueprintParts = { types: fieldTypes, permissions: builtInPermissions, folders: [] }

const maxProblems = 1000

/**
 * Reads, validates and compiles all blueprints of a site. Mistakes are reported and the result is always usable.
 * Returns `before` if no file has changed.
 */
export function readBlueprints(
  path: string,
  { types, permissions, folders }: BlueprintParts,
  before?: LoadedBlueprints,
): LoadedBlueprints {
  const folder = readFolder(path, folders)
  if (before && isDeepStrictEqual(folder, before.folder)) return before
  const { problems, report } = collector(folder.problems)
  const files = new Map(
    [...folder.texts].map(([name, text]) => [
      name,
      text === undefined ? undefined : readFile(fileOf(folder, name), text, report),
    ]),
  )
  const roleNames = new Set(['admin', ...blueprintNamesIn(files, 'users').filter(isRole)])
  const named = new Set([...roleNames, nobody])
  const shared = {
    files,
    builtIn,
    types,
    permissions,
    report,
    roles: named,
    parents: new Map(),
    blocks: new Map(),
    parseFields,
  }
  const inAll = { left: maxNodesInAll }
  const context = (): BlueprintContext => ({ ...shared, budget: { left: maxNodes, inAll } })
  const templates = (kind: 'pages' | 'files') =>
    new Set([
      'default',
      ...blueprintNamesIn(files, kind, kind === 'files').filter(name =>
        isTemplate(name, fileOf(folder, `${kind}/${name}`), report),
      ),
    ])
  checkBlocks(context(), folder, blueprintNamesIn(files, 'blocks'))
  return {
    folder,
    site: parseSiteBlueprint(context()),
    pages: mapOf(templates('pages'), name => parsePageBlueprint(context(), name)),
    files: mapOf(templates('files'), name => parseFileBlueprint(context(), name)),
    roles: mapOf(roleNames, name => parseRole(context(), name)),
    nobody: parseNobody(context()),
    user: parseUserBlueprint(context()),
    problems: problems(),
  }
}

const mapOf = <Value>(names: Iterable<string>, make: (name: string) => Value) =>
  new Map([...names].toSorted().map(name => [name, make(name)]))

/** Removes duplicates: a shared parent is validated once for every blueprint that extends it. */
function collector(first: readonly BlueprintProblem[]): { problems: () => BlueprintProblem[]; report: ReportProblem } {
  const found = new Map<string, BlueprintProblem>()
  const report: ReportProblem = ({ file, line, column }, message) => {
    const key = `${file}:${line}:${column} ${message}`
    if (found.size < maxProblems && !found.has(key)) found.set(key, { file, line, column, message })
  }
  for (const problem of first) report(problem, problem.message)
  return {
    report,
    problems: () =>
      [...found.values()].toSorted((one, other) =>
        one.file === other.file ? one.line - other.line || one.column - other.column : one.file < other.file ? -1 : 1,
      ),
  }
}

// ---- files

const fileOf = ({ paths }: BlueprintFolder, name: string) => paths.get(name) ?? `blueprints/${name}.yml`

function readFile(file: string, text: string, report: ReportProblem): YamlNode | undefined {
  const node = parse(file, text, report)
  if (!node || node.value === null) return node
  if (!isEntries(node)) {
    report(node.at, 'a blueprint is made of settings, each with a name and a value')
    return undefined
  }
  checkQueries(node, report)
  return node
}

const texts = new Set(['label', 'headline', 'help', 'info', 'text', 'value', 'preview', 'num', 'empty', 'placeholder'])
const queries = new Set(['query', 'parent'])

/** Queries run only when the text is shown; syntax errors in them are reported when the blueprint is read. */
function checkQueries(node: YamlNode, report: ReportProblem): void {
  if (isList(node)) for (const item of node.value) checkQueries(item, report)
  if (!isEntries(node)) return
  for (const [name, entry] of node.value) {
    checkQueries(entry, report)
    if (typeof entry.value !== 'string') continue
    const wrong = texts.has(name) ? wrongQueries(entry.value) : []
    if (queries.has(name) && !entry.value.includes('{{') && !isQuery(entry.value)) wrong.push(entry.value)
    for (const source of wrong) report(entry.at, `the query "${source.slice(0, 100)}" cannot be understood`)
  }
}

/** The names of the files directly in this folder; with `isDeep` also in its subfolders. */
function blueprintNamesIn(files: ReadonlyMap<string, unknown>, folder: string, isDeep = false): string[] {
  return [...files.keys()]
    .filter(name => name.startsWith(`${folder}/`) && (isDeep || !name.includes('/', folder.length + 1)))
    .map(name => name.slice(folder.length + 1))
}

const startOf = (file: string) => ({ file, line: 1, column: 1 })

function isTemplate(name: string, file: string, report: ReportProblem): boolean {
  if (name === name.toLowerCase()) return true
  report(startOf(file), `the name of a template is written in small letters: ${name.toLowerCase()}.yml`)
  return false
}

/**
 * `default` is not a role: it describes the accounts of roles without a file. Nor is `nobody`: it says what anonymous
 * clients may read, and no account can have it.
 */
const isRole = (name: string) => name !== 'default' && name !== nobody

/** Validates all block types, including those that no field uses yet. */
function checkBlocks(context: ParseContext, folder: BlueprintFolder, names: readonly string[]): void {
  for (const name of names) findBlock(context, name, startOf(fileOf(folder, `blocks/${name}`)))
}

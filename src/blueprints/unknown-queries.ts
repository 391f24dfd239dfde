import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Blueprints } from './blueprints.ts'
import { isQuery, methodNames, placeholder, unknownNames } from './query.ts'

export interface UnknownQuery {
  file: string
  line: number
  query: string
  /** The names in it that Quoin does not have. */
  names: string[]
}

const roots = new Set([
  'kirby',
  'site',
  'page',
  'file',
  'user',
  'users',
  't',
  'model',
  'structureItem',
  'block',
  'item',
])

/** Members that queries can read of the site, pages, files, accounts, their lists and their fields. */
const members = new Set([
  ...methodNames, ...roots,
  'archives', 'audio', 'children', 'childrenAndDrafts', 'code', 'content', 'dimensions', 'documents', 'drafts', 'email', 'extension',
  'filename', 'files', 'filter', 'filterBy', 'find', 'flip', 'hasChildren', 'hasFiles', 'height', 'homePage', 'id', 'image', 'images',
  'index', 'intendedTemplate', 'isDraft', 'isListed', 'isUnlisted', 'language', 'listed', 'mime', 'modified', 'name', 'niceSize', 'not',
  'nth', 'num', 'offset', 'orientation', 'parent', 'parents', 'pluck', 'published', 'ratio', 'role', 'search', 'siblings', 'size', 'slug',
  'sort', 'sortBy', 'status', 'template', 'title', 'toFile', 'toFiles', 'toPage', 'toPages', 'toUser', 'toUsers', 'type', 'unlisted', 'url',
  'username', 'uuid', 'values', 'videos', 'width', 'created',
]) // prettier-ignore

/**
 * Finds queries in the blueprints below a folder that have no result because they call code that Quoin does not have.
 */
export function unknownQueries(folder: string, blueprints: Blueprints): UnknownQuery[] {
  const fields = fieldNames(blueprints)
  const isKnown = (name: string, isRoot: boolean) =>
    isRoot ? roots.has(name) : members.has(name) || /^\d+$/.test(name) || fields.has(name.toLowerCase())
  return globSync('**/*.{yml,yaml}', { cwd: folder })
    .toSorted()
    .flatMap(file =>
      readFileSync(join(folder, file), 'utf8')
        .split('\n')
        .flatMap((text, index) =>
          queriesIn(text).flatMap(query => {
            const names = unknownNames(query, isKnown)
            return names.length === 0 ? [] : [{ file, line: index + 1, query, names }]
          }),
        ),
    )
}

const setting = /^\s*(?:-\s+)?(?:query|image):\s*(["']?)([^"'#{}[\]]+(?:\([^)]*\)[^"'#{}[\]]*)*)\1\s*$/

/** In a line of YAML: the placeholders in texts, and the value of `query`. */
function queriesIn(line: string): string[] {
  const filled = [...line.matchAll(placeholder)].map(([, escaped, raw]) => (escaped ?? raw ?? '').trim())
  const set = setting.exec(line)?.[2]?.trim()
  return [...filled, ...(set?.includes('.') ? [set] : [])].filter(isQuery)
}

function fieldNames(blueprints: Blueprints): ReadonlySet<string> {
  const forms = [
    blueprints.site(),
    ...blueprints.templates('pages').map(name => blueprints.page(name)),
    ...blueprints.templates('files').map(name => blueprints.file(name)),
    ...blueprints.roles().flatMap(role => blueprints.role(role) ?? []),
  ]
  const names = new Set<string>()
  const add = (fields: ReadonlyMap<string, object>): void => {
    for (const [name, field] of fields) {
      names.add(name)
      const inner = (field as { fields?: ReadonlyMap<string, object> }).fields
      if (inner && inner.size > 0 && ![...inner.keys()].every(one => names.has(one))) add(inner)
    }
  }
  for (const { fields } of forms) add(fields)
  return names
}

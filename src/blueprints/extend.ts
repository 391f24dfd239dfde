import {
  isEntries,
  isList,
  merge,
  type YamlNode,
  type ReportProblem,
  type BlueprintSettings,
  without,
} from './source.ts'

/** The blueprints that `extends` can name: all files of the site by name, and the built-in ones. */
export interface Library {
  /** Undefined for a file that exists but cannot be read; that has been reported. */
  files: ReadonlyMap<string, YamlNode | undefined>
  builtIn: ReadonlyMap<string, YamlNode>
  /** Cache of the resolved files. */
  parents: Map<string, BlueprintSettings | undefined>
  report: ReportProblem
}

const maxParents = 20
const maxChainLength = 20

/** A file merged with everything it extends, or the built-in blueprint of this name. */
export function findBlueprintFile(library: Library, name: string): BlueprintSettings | undefined {
  if (!library.parents.has(name)) {
    const node = library.files.has(name) ? library.files.get(name) : library.builtIn.get(name)
    library.parents.set(name, node && extend(library, node, [name]))
  }
  return library.parents.get(name)
}

/**
 * Merges an entry of a blueprint with everything it extends. A string is the name of the parent; null and `true` are
 * empty settings. Own settings win, then those of the parent that is named first.
 */
export function extend(library: Library, node: YamlNode, chain: readonly string[] = []): BlueprintSettings | undefined {
  const { at, value } = node
  if (value === null || value === true) return { at, value: new Map() }
  if (typeof value === 'string') return withParents(library, { at, value: new Map() }, [node], chain)
  if (!isEntries(node)) {
    library.report(at, 'must be a map of settings, such as `label: Title`')
    return undefined
  }
  const named = node.value.get('extends')
  if (!named) return node
  return withParents(library, without(node, ['extends']), isList(named) ? named.value : [named], chain)
}

function withParents(
  library: Library,
  own: BlueprintSettings,
  names: readonly YamlNode[],
  chain: readonly string[],
): BlueprintSettings {
  if (names.length > maxParents)
    library.report(names[maxParents]!.at, `extends names more than ${maxParents} blueprints`)
  const parents = names.slice(0, maxParents).map(name => parentOf(library, name, chain))
  const { at, value } = parents.reduce<BlueprintSettings>(
    (settings, parent) => (parent ? mergeOver(parent, settings) : settings),
    own,
  )
  return {
    at,
    value,
    partial: names.length > maxParents || parents.some(parent => !parent || parent.partial === true),
  }
}

const mergeOver = (below: BlueprintSettings, own: BlueprintSettings) => merge(below, own) as BlueprintSettings

function parentOf(library: Library, { at, value }: YamlNode, chain: readonly string[]): BlueprintSettings | undefined {
  const { files, builtIn, parents, report } = library
  if (typeof value !== 'string') report(at, 'extends must name a blueprint, such as "fields/address"')
  else if (chain.includes(value)) {
    // A file may extend the built-in blueprint of its own name.
    const builtInParent = builtIn.get(value)
    if (builtInParent && chain.at(-1) === value) return extend(library, builtInParent, [...chain, ''])
    report(at, `this extends itself: ${[...chain, value].filter(Boolean).join(' → ')}`)
  } else if (chain.length >= maxChainLength) {
    report(at, `this is extended over more than ${maxChainLength} files`)
  } else if (!files.has(value) && !builtIn.has(value)) {
    report(at, `there is no blueprints/${value}.yml to extend`)
  } else if (parents.has(value)) {
    return parents.get(value)
  } else {
    const node = files.has(value) ? files.get(value) : builtIn.get(value)
    const parent = node && extend(library, node, [...chain, value])
    parents.set(value, parent)
    return parent
  }
  return undefined
}

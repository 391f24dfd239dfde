import type { Document, ParsedNode, Range, YAMLMap } from 'yaml'
import { yaml } from '../platform/lib/yaml.ts'

/** A position in a file; line and column are counted from 1. The path is relative to the site folder. */
export interface SourcePosition {
  file: string
  line: number
  column: number
}

export type Scalar = string | number | boolean | null
export type Entries = ReadonlyMap<string, YamlNode>

/** A value of a blueprint with its position; in a map, the position of its key. */
export interface YamlNode {
  readonly at: SourcePosition
  readonly value: Scalar | readonly YamlNode[] | Entries
}

/** A map of setting names to values. */
export interface BlueprintSettings extends YamlNode {
  readonly value: Entries
  /** A parent that these settings extend is missing. */
  readonly partial?: boolean
}

export interface List extends YamlNode {
  readonly value: readonly YamlNode[]
}

export type ReportProblem = (at: SourcePosition, message: string) => void

/** Limits against huge files: more than any blueprint needs, and still parsed quickly. */
const maxValues = 20_000
const maxDepth = 40
const maxErrors = 5

/** Parses YAML. Undefined if it is invalid; the reasons have been reported. */
export function parse(file: string, text: string, report: ReportProblem): YamlNode | undefined {
  const lines = new (yaml().LineCounter)()
  const place = (offset: number): SourcePosition => {
    const { line, col } = lines.linePos(offset)
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  let document: Document.Parsed
  try {
    document = yaml().parseDocument(text, {
      schema: 'core',
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false, // duplicates are reported below, and the rest of the file is used
      logLevel: 'error',
    })
  } catch {
    report(place(0), tooDeep)
    return undefined
  }
  const { errors, warnings } = document
  for (const { pos, message } of [...errors, ...warnings].slice(0, maxErrors)) report(place(pos[0]), inWords(message))
  if (errors.length > 0) return undefined
  try {
    return convert(document, place, report)
  } catch (error) {
    if (!(error instanceof TooManyValues)) throw error
    report(error.at, error.message)
    return undefined
  }
}

const tooDeep = 'this is nested too deeply'

function inWords(message: string): string {
  if (/call stack|stack overflow/i.test(message)) return tooDeep
  const [line = ''] = message.split('\n')
  return `this is not YAML: ${line.length > 150 ? `${line.slice(0, 150)}…` : line}`
}

class TooManyValues extends Error {
  readonly at: SourcePosition

  constructor(at: SourcePosition, message: string) {
    super(message)
    this.at = at
  }
}

function convert(
  document: Document.Parsed,
  place: (offset: number) => SourcePosition,
  report: ReportProblem,
): YamlNode {
  const anchors = new Map<string, { node: YamlNode; count: number }>()
  let count = 0

  function add(more: number, at: SourcePosition): void {
    count += more
    if (count > maxValues) throw new TooManyValues(at, `there are more than ${maxValues} values in this file`)
  }

  function visit(node: ParsedNode | null | undefined, at: SourcePosition, depth: number): YamlNode {
    if (depth > maxDepth) throw new TooManyValues(at, tooDeep)
    if (yaml().isAlias(node)) {
      const anchor = anchors.get(node.source)
      if (!anchor) throw new TooManyValues(at, `"*${node.source}" stands for nothing that ends before it`)
      add(anchor.count, at) // an alias counts in full each time it is used: it is also visited each time
      return { at, value: anchor.node.value }
    }
    const before = count
    add(1, at)
    const result: YamlNode = { at, value: valueOf(node, at, depth) }
    const anchor = node && 'anchor' in node ? node.anchor : undefined
    if (anchor !== undefined) anchors.set(anchor, { node: result, count: count - before })
    return result
  }

  function valueOf(node: ParsedNode | null | undefined, at: SourcePosition, depth: number): YamlNode['value'] {
    if (yaml().isMap(node)) return entriesOf(node, depth)
    if (yaml().isSeq(node)) return node.items.map(item => visit(item, startOf(item, at), depth + 1))
    if (!yaml().isScalar(node)) return null
    const { value, source = '', type = '' } = node as { value: unknown; source?: string; type?: string }
    if (typeof value === 'string') return type.startsWith('BLOCK') ? value.trimEnd() : value
    if (value === null || typeof value === 'boolean') return value
    return typeof value === 'number' && Number.isFinite(value) ? value : source // `.inf` and dates stay strings
  }

  function entriesOf(map: YAMLMap<ParsedNode, ParsedNode | null>, depth: number): Entries {
    const own = new Map<string, YamlNode>()
    const below: Entries[] = []
    for (const { key, value } of map.items) {
      const at = startOf(key, place(0))
      const name = nameOf(key)
      const node = visit(value, at, depth + 1)
      if (name === undefined) report(at, 'a name must be a plain text')
      else if (name === '__proto__') report(at, `"${name}" cannot be used as a name`)
      else if (name === '<<') below.push(...mergedMaps(node))
      else if (own.has(name)) report(at, `"${name}" stands here a second time; the first one counts`)
      else own.set(name, node)
    }
    return below.length === 0 ? own : new Map([...below.toReversed().flatMap(entries => [...entries]), ...own])
  }

  const startOf = (node: { range?: Range | null } | null | undefined, fallback: SourcePosition) =>
    node?.range ? place(node.range[0]) : fallback

  return visit(document.contents, startOf(document.contents, place(0)), 0)
}

/** The maps that the YAML merge key `<<` names: one map or a list of them. */
function mergedMaps(node: YamlNode): Entries[] {
  if (isEntries(node)) return [node.value]
  return isList(node) ? node.value.filter(isEntries).map(({ value }) => value) : []
}

function nameOf(key: ParsedNode): string | undefined {
  if (!yaml().isScalar(key)) return undefined
  const { value, source } = key as { value: unknown; source?: string }
  if (typeof value === 'string') return value
  return value === null ? undefined : source
}

// ---- reading nodes

export function isEntries(node: YamlNode | undefined): node is BlueprintSettings {
  return node?.value instanceof Map
}

export function isList(node: YamlNode | undefined): node is List {
  return Array.isArray(node?.value)
}

export type Plain = Scalar | readonly Plain[] | { readonly [name: string]: Plain }

/** The same value without positions. */
export function plain(node: YamlNode): Plain {
  if (isEntries(node)) return plainEntries(node.value)
  return isList(node) ? node.value.map(plain) : (node.value as Scalar)
}

export function plainEntries(entries: Entries): { [name: string]: Plain } {
  return Object.fromEntries([...entries].map(([name, node]) => [name, plain(node)]))
}

/** Converts a built-in blueprint to the form of a parsed one. */
export function toNode(value: Plain, at: SourcePosition): YamlNode {
  if (Array.isArray(value)) return { at, value: value.map((item: Plain) => toNode(item, at)) }
  if (typeof value !== 'object' || value === null) return { at, value }
  return { at, value: new Map(Object.entries(value).map(([name, inner]) => [name, toNode(inner, at)])) }
}

/** The position of the innermost part of the path that exists. */
export function positionOf(node: YamlNode, path: readonly PropertyKey[]): SourcePosition {
  const [first, ...rest] = path
  if (first === undefined) return node.at
  const inner = isEntries(node) ? node.value.get(String(first)) : isList(node) ? node.value[Number(first)] : undefined
  return inner ? positionOf(inner, rest) : node.at
}

/** A value as it is quoted in a message. */
export function quoteValue({ value }: YamlNode): string {
  return typeof value === 'object' && value !== null ? '…' : String(value)
}

export function without({ at, value }: BlueprintSettings, names: readonly string[]): BlueprintSettings {
  return { at, value: new Map([...value].filter(([name]) => !names.includes(name))) }
}

/** Merges `own` over `defaults`: maps are merged recursively, any other value is replaced. */
export function merge(defaults: YamlNode, own: YamlNode): YamlNode {
  if (!isEntries(defaults) || !isEntries(own)) return own
  const merged = new Map(defaults.value)
  for (const [name, node] of own.value) {
    const existing = merged.get(name)
    merged.set(name, existing ? merge(existing, node) : node)
  }
  return { at: own.at, value: merged }
}

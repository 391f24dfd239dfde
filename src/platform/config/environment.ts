import { z } from 'zod'
import { schema } from './settings.ts'

/** Settings as given, not validated. */
export interface Tree {
  [name: string]: unknown
}

interface Leaf {
  path: string[]
  type: z.ZodType
}

export interface Variables {
  settings: Tree
  /** The name of the variable that a setting comes from, by the path of the setting. */
  names: Map<string, string>
  problems: string[]
}

/** Reads settings from the `QUOIN_…` variables. */
export function readEnvironment(environment: Record<string, string | undefined>): Variables {
  const leaves = new Map(leavesOf(schema).map(leaf => [variableName(leaf.path), leaf]))
  const settings: Tree = {}
  const names = new Map<string, string>()
  const problems: string[] = []
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith('QUOIN_') || name.startsWith('QUOIN_TEST_') || text === undefined) continue
    if (isServiceLink(name, text)) continue
    const leaf = leaves.get(name)
    if (!leaf) {
      problems.push(`${name}: there is no such setting`)
      continue
    }
    names.set(leaf.path.join('.'), name)
    const parents = leaf.path.slice(0, -1)
    const parent = parents.reduce<Tree>((tree, key) => (tree[key] ??= {}) as Tree, settings)
    parent[leaf.path.at(-1)!] = fromText(leaf.type, text)
  }
  return { settings, names, problems }
}

/**
 * Kubernetes sets variables with the address of each service in every container. For a service named `quoin` these are
 * `QUOIN_PORT=tcp://10.0.0.1:80`, `QUOIN_SERVICE_HOST`, `QUOIN_PORT_80_TCP_ADDR` and so on, which are not settings of
 * ours.
 */
function isServiceLink(name: string, text: string): boolean {
  if (name === 'QUOIN_PORT') return /^(tcp|udp|sctp):\/\//.test(text)
  return /^QUOIN_(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/.test(name)
}

function leavesOf(type: z.ZodType, path: string[] = []): Leaf[] {
  const inner = unwrap(type)
  if (!(inner instanceof z.ZodObject)) return [{ path, type: inner }]
  return Object.entries(inner.shape as Record<string, z.ZodType>).flatMap(([key, value]) =>
    leavesOf(value, [...path, key]),
  )
}

function unwrap(type: z.ZodType): z.ZodType {
  return type instanceof z.ZodDefault || type instanceof z.ZodPrefault || type instanceof z.ZodOptional
    ? unwrap(type.unwrap() as z.ZodType)
    : type
}

function variableName(path: string[]): string {
  return `QUOIN_${path
    .join('_')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()}`
}

/** Text that does not match the type stays text, so that the schema reports what is wrong with it. */
function fromText(type: z.ZodType, text: string): unknown {
  if (type instanceof z.ZodBoolean) return { true: true, '1': true, false: false, '0': false }[text] ?? text
  if (type instanceof z.ZodNumber) return /^\d+$/.test(text) ? Number(text) : text
  if (type instanceof z.ZodArray) return text.split(',').flatMap(item => item.trim() || [])
  return text
}

import type { ShownSettings } from './blueprints.ts'
import type { Library } from './extend.ts'
import type { Field, Fieldset, FieldType } from './fields/field.ts'
import type { YamlNode, SourcePosition } from './source.ts'

/** Input for compiling a parsed blueprint. */
export interface ParseContext extends Library {
  types: Readonly<Record<string, FieldType>>
  /** Block types that are compiled or being compiled; undefined for those with an invalid definition. */
  blocks: Map<string, Fieldset | undefined>
  /** Of `parse-fields.ts`: fieldsets have fields, which have fieldsets, and the two files must not import each other. */
  parseFields(context: ParseContext, node: YamlNode | undefined, usedNames: Set<string>, depth?: number): FieldList
  /** How many more nodes this blueprint may have, and all blueprints together. */
  budget: { left: number; inAll: { left: number } }
}

/** The compiled fields of a form or of a part of it. */
export interface FieldList {
  shown: Record<string, ShownSettings>
  fields: Map<string, Field>
  broken: Set<string>
}

export const maxNodes = 5000
export const maxNodesInAll = 50_000
const maxDepth = 10

/** Limits depth and size: a blueprint can contain itself through `extends`, and would expand without end. */
export function isWithinLimits({ budget, report }: ParseContext, at: SourcePosition, depth: number): boolean {
  if (depth > maxDepth) report(at, 'this is nested too deeply; does it contain itself?')
  else if (--budget.left === -1) report(at, `this blueprint has more than ${maxNodes} parts`)
  else if (budget.left >= 0 && --budget.inAll.left === -1)
    report(at, `the blueprints have more than ${maxNodesInAll} parts`)
  return depth <= maxDepth && budget.left >= 0 && budget.inAll.left >= 0
}

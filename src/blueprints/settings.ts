import type { z } from 'zod'
import { positionOf, plain, type ReportProblem, type BlueprintSettings } from './source.ts'

const rounds = 3

/**
 * Validates settings with a schema and returns the parsed values. Unknown settings are ignored here. Problems are
 * reported. Invalid settings that are `isOptional` are left out; any other invalid setting makes the result undefined.
 */
export function checkSettings<Shape extends z.core.$ZodShape>(
  schema: z.ZodObject<Shape>,
  settings: BlueprintSettings,
  report: ReportProblem,
  isOptional: (name: string) => boolean = () => false,
): z.output<z.ZodObject<Shape>> | undefined {
  const values = new Map<string, unknown>()
  for (const [name, node] of settings.value) {
    if (node.value !== null && Object.hasOwn(schema.shape, name)) values.set(name, plain(node))
  }
  for (let round = 0; round < rounds; round++) {
    const checked = schema.safeParse(Object.fromEntries(values), { jitless: true })
    if (checked.success) return checked.data
    const wrong = checked.error.issues.filter(issue => !readBoolean(values, issue))
    for (const issue of wrong) report(positionOf(settings, issue.path), inWords(issue))
    if (!wrong.every(({ path }) => isOptional(String(path[0])))) return undefined
    for (const { path } of wrong) values.delete(String(path[0]))
  }
  return undefined
}

/** YAML 1.1 has more words for true and false, and existing blueprints use them. */
export const words: ReadonlyMap<unknown, boolean> = new Map([
  ['yes', true],
  ['on', true],
  ['no', false],
  ['off', false],
])

function readBoolean(values: Map<string, unknown>, issue: z.core.$ZodIssue): boolean {
  if (issue.code !== 'invalid_type' || issue.expected !== 'boolean' || issue.path.length !== 1) return false
  const name = String(issue.path[0])
  const read = words.get(values.get(name))
  if (read !== undefined) values.set(name, read)
  return read !== undefined
}

export function reportUnknown(settings: BlueprintSettings, allowed: Iterable<string>, report: ReportProblem): void {
  const all = new Set(allowed)
  for (const [name, { at }] of settings.value) {
    if (!all.has(name)) report(at, `there is no setting "${name}" here${didYouMean(name, all)}`)
  }
}

// ---- messages

function inWords(issue: z.core.$ZodIssue): string {
  const name = issue.path.findLast(key => typeof key === 'string') ?? 'this'
  // A message that a schema defines itself is more specific than the generic one.
  return /^(Invalid|Too|Unrecognized)/.test(issue.message)
    ? `"${name}" ${wording(issue)}`
    : `"${name}": ${issue.message}`
}

function wording(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${oneOf(issue.values.map(String))}`
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array'
        ? 'must not be empty'
        : `must be at least ${issue.minimum}`
    case 'too_big':
      return `must be at most ${issue.maximum}`
    case 'unrecognized_keys':
      return `has no setting "${issue.keys.join('", "')}"`
    case 'invalid_union': {
      const kind = issue.errors.flatMap(([first]) =>
        first?.code === 'invalid_type' && first.path.length === 0 ? (kinds[first.expected] ?? []) : [],
      )
      return kind.length === 0 ? 'has a value that does not fit' : `must be ${oneOf([...new Set(kind)])}`
    }
    default:
      return 'has a value that does not fit'
  }
}

const kinds: Partial<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of settings',
  record: 'a group of settings',
}

export function oneOf(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
}

/** Suggests a known word that differs in only one or two characters. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const maxDistance = word.length < 4 ? 1 : 2
  let [best, bestDistance]: [string | undefined, number] = [undefined, maxDistance + 1]
  for (const other of candidates) {
    if (Math.abs(other.length - word.length) > maxDistance) continue
    const far = distance(word.toLowerCase(), other.toLowerCase())
    if (far < bestDistance) [best, bestDistance] = [other, far]
  }
  return best === undefined ? '' : `; do you mean "${best}"?`
}

/** Edit distance: how many characters must be changed, inserted, removed, or swapped with the next. */
function distance(one: string, other: string): number {
  let above: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let line = 1; line <= one.length; line++) {
    const next = [line]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[line - 1] === other[column - 1]
      const isSwapped = one[line - 1] === other[column - 2] && one[line - 2] === other[column - 1]
      const changed = row[column - 1]! + (isSame ? 0 : 1)
      const swapped = isSwapped ? above[column - 2]! + 1 : Infinity
      next.push(Math.min(row[column]! + 1, next[column - 1]! + 1, changed, swapped))
    }
    ;[above, row] = [row, next]
  }
  return row.at(-1)!
}

export function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

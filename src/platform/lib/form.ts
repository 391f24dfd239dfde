import { decodeStrictly, isPrototypeKey, type JsonLimits, JsonProblem } from './strict-json.ts'

/** Maximum nesting of names: more than any form has. */
const maxDepth = 16

type Group = Map<string, FormValue>
type FormValue = string | Group

/**
 * Parses `application/x-www-form-urlencoded` to the same value as the equivalent JSON: `content[title]=x` is an object
 * in an object, `tags[]=a` an item of a list, and an object with the names 0, 1, 2 … is a list; every other value is
 * text. As strict as `parseStrictJson`: no duplicate names, none that reaches a prototype, limited depth and number.
 */
export function parseForm(bytes: Uint8Array, { depth, members }: JsonLimits): Record<string, unknown> {
  const pairs = decodeStrictly(bytes).split('&')
  if (pairs.length > members) throw new JsonProblem('members', members)
  const form: Group = new Map()
  for (const pair of pairs) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    if (at < 0) throw new JsonProblem('form')
    put(form, stepsIn(decodePart(pair.slice(0, at)), Math.min(depth, maxDepth)), decodePart(pair.slice(at + 1)))
  }
  return Object.fromEntries([...form].map(([name, value]) => [name, toJson(value)]))
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new JsonProblem('utf8')
  }
}

/** `a[b][]` → `a`, `b` and `''`, which stands for the next item of a list. */
function stepsIn(name: string, depth: number): string[] {
  const [, first, rest] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? []
  if (first === undefined) throw new JsonProblem('form')
  const steps = [first, ...rest!.slice(1, -1).split('][')].slice(0, rest === '' ? 1 : undefined)
  if (steps.length > depth) throw new JsonProblem('depth', depth)
  if (steps.slice(0, -1).includes('')) throw new JsonProblem('form')
  if (steps.some(isPrototypeKey)) throw new JsonProblem('forbidden')
  return steps
}

function put(form: Group, steps: readonly string[], value: string): void {
  let group = form
  for (const step of steps.slice(0, -1)) {
    const inner = group.get(step) ?? new Map<string, FormValue>()
    if (typeof inner === 'string') throw new JsonProblem('duplicate')
    group.set(step, inner)
    group = inner
  }
  const last = steps.at(-1) || String(group.size)
  if (group.has(last)) throw new JsonProblem('duplicate')
  group.set(last, value)
}

function toJson(value: FormValue): unknown {
  if (typeof value === 'string') return value
  const inner = [...value].map(([name, one]) => [name, toJson(one)] as const)
  return inner.every(([name], at) => name === String(at)) ? inner.map(([, one]) => one) : Object.fromEntries(inner)
}

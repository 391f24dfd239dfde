import type { Tags } from 'yaml'
import { createMemo } from '../../platform/lib/memo.ts'
import { yaml } from '../../platform/lib/yaml.ts'
import { brokenValue } from './broken.ts'
import type { BrokenValue, Stored } from './field.ts'
import { isForbidden, isList, isMap, isTooDeep, textOf } from './stored.ts'

/**
 * What parsing a text as YAML may cost. One unit is about a microsecond; the signs that YAML gives a meaning to cost most.
 * While a request is answered others wait, so it gets little; a command of its own has time.
 */
const budgets = { request: 30_000, command: 20_000_000 }
const signs = /["'[\]{}&*!|>%@?:#,-]/g
const perSign = 10

type Budget = keyof typeof budgets

/** Values of up to this many letters are kept when they were parsed. */
const maxCached = 30_000
const parsed = createMemo<Stored | BrokenValue>(200)

/**
 * The parts of a value that is stored or sent as text: JSON, as all that we store, or YAML that was imported or typed. What
 * is neither is broken. The parts are shared with all who read the same text, and frozen therefore.
 */
export function parseParts(text: string, budget: Budget = 'request'): Stored | BrokenValue {
  const known = parsed.get(text)
  if (known !== undefined && budget === 'request') return known
  const parts = parseJson(text) ?? parseYaml(text, budget)
  if (text.length <= maxCached) parsed.set(text, parts)
  return parts
}

/** Every JSON is YAML, too, and read a hundred times faster. */
function parseJson(text: string): Stored | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return shared(JSON.parse(text) as Stored)
  } catch {
    return undefined
  }
}

function parseYaml(text: string, budget: Budget): Stored | BrokenValue {
  if (costOf(text, budgets[budget]) > budgets[budget]) return brokenValue(text, 'tooLarge')
  try {
    const options = { schema: 'failsafe', customTags: tags, uniqueKeys: false, logLevel: 'error' } as const
    const parts = shared(yaml().parse(text, { ...options, prettyErrors: false }) as Stored)
    return parts === undefined ? brokenValue(text, 'unreadable') : parts
  } catch {
    return brokenValue(text, 'unreadable') // also what is nested so deeply that reading it needs more stack than there is
  }
}

function costOf(text: string, most: number): number {
  if (text.length > most) return text.length
  let cost = text.length
  for (const _ of text.matchAll(signs)) if ((cost += perSign) > most) break
  return cost
}

/**
 * Only what is certainly a number, a truth or nothing is read as one, so that `01067`, `1.10` and `no` stay the texts
 * they are: turned back into a text, a value is what was written.
 */
const tags: Tags = [
  { tag: 'tag:yaml.org,2002:null', default: true, test: /^(?:~|null)?$/, resolve: () => null },
  {
    tag: 'tag:yaml.org,2002:bool',
    default: true,
    test: /^(?:true|false)$/,
    resolve: (text: string) => text === 'true',
  },
  {
    tag: 'tag:yaml.org,2002:float',
    default: true,
    test: /^-?\d+(?:\.\d+)?(?:e[+-]\d+)?$/,
    resolve: (text: string) => (String(Number(text)) === text ? Number(text) : text),
  },
]

const shared = (value: Stored) => (isTooDeep(value) ? undefined : freeze(value))

function freeze(value: Stored): Stored {
  if (isList(value)) return Object.freeze(value.map(freeze))
  if (!isMap(value)) return value ?? null
  const map: Record<string, Stored> = {}
  for (const name of Object.keys(value)) if (!isForbidden(name)) map[name] = freeze((value as typeof map)[name]!)
  return Object.freeze(map)
}

/** Longer lists and maps are written as JSON, which is YAML, too. */
const maxYamlLength = 4000

/** A list or map without a field of its own, as people write it: YAML, with texts that look like something else in quotes. */
export function toText(stored: Stored): string {
  if (typeof stored === 'string') return stored
  if (!isList(stored) && !isMap(stored)) return textOf(stored)
  const json = JSON.stringify(stored)
  if (json.length > maxYamlLength) return json
  const options = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const
  const text = yaml().stringify(stored, options)
  // Stored texts have no blank end; a text inside that ends with empty lines keeps them in quotes only.
  return (/\s\n$/.test(text) ? yaml().stringify(stored, { ...options, blockQuote: false }) : text).trimEnd()
}

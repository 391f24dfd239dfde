import type { Tags } from 'yaml'
import { createLruCache } from '../../platform/lib/lru-cache.ts'
import { yaml } from '../../platform/lib/yaml.ts'
import { brokenValue } from './broken.ts'
import type { BrokenValue, StoredValue } from './field.ts'
import { isForbiddenName, isList, isMap, isTooDeep, textOf } from './stored.ts'

/**
 * Limits for parsing a text as YAML. One unit is about a microsecond; YAML's special characters cost most. A request
 * blocks the event loop, so it gets little; a command in its own process gets more.
 */
const budgets = { request: 30_000, command: 20_000_000 }
const specialCharacters = /["'[\]{}&*!|>%@?:#,-]/g
const unitsPerSpecial = 10

type Budget = keyof typeof budgets

/** In characters. Longer values are not cached. */
const maxCached = 30_000
const parsed = createLruCache<StoredValue | BrokenValue>(200)

/**
 * Parses a value that is stored or sent as text: JSON, like everything that we store, or YAML that was imported or typed. Any
 * other text is broken. The result is cached and shared, therefore frozen.
 */
export function parseStructured(text: string, budget: Budget = 'request'): StoredValue | BrokenValue {
  const cached = parsed.get(text)
  if (cached !== undefined && budget === 'request') return cached
  const value = parseJson(text) ?? parseYaml(text, budget)
  if (text.length <= maxCached) parsed.set(text, value)
  return value
}

/** JSON is also YAML, and its parser is a hundred times faster. */
function parseJson(text: string): StoredValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return frozenUnlessTooDeep(JSON.parse(text) as StoredValue)
  } catch {
    return undefined
  }
}

function parseYaml(text: string, budget: Budget): StoredValue | BrokenValue {
  if (costOf(text, budgets[budget]) > budgets[budget]) return brokenValue(text, 'tooLarge')
  try {
    const options = { schema: 'failsafe', customTags: tags, uniqueKeys: false, logLevel: 'error' } as const
    const value = frozenUnlessTooDeep(yaml().parse(text, { ...options, prettyErrors: false }) as StoredValue)
    return value === undefined ? brokenValue(text, 'unreadable') : value
  } catch {
    return brokenValue(text, 'unreadable') // includes values nested so deeply that the parser overflows the stack
  }
}

function costOf(text: string, limit: number): number {
  if (text.length > limit) return text.length
  let cost = text.length
  for (const _ of text.matchAll(specialCharacters)) if ((cost += unitsPerSpecial) > limit) break
  return cost
}

/**
 * Only unambiguous numbers, booleans and nulls are converted, so that `01067`, `1.10` and `no` stay strings: converted
 * back to text, every value is what was written.
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

const frozenUnlessTooDeep = (value: StoredValue) => (isTooDeep(value) ? undefined : freeze(value))

function freeze(value: StoredValue): StoredValue {
  if (isList(value)) return Object.freeze(value.map(freeze))
  if (!isMap(value)) return value ?? null
  const map: Record<string, StoredValue> = {}
  for (const name of Object.keys(value)) if (!isForbiddenName(name)) map[name] = freeze((value as typeof map)[name]!)
  return Object.freeze(map)
}

/** In characters. Longer lists and maps are written as JSON, which is also YAML. */
const maxYamlLength = 4000

/**
 * Formats a list or map that has no field as YAML, for people to read. Strings that look like another type are quoted.
 */
export function toText(stored: StoredValue): string {
  if (typeof stored === 'string') return stored
  if (!isList(stored) && !isMap(stored)) return textOf(stored)
  const json = JSON.stringify(stored)
  if (json.length > maxYamlLength) return json
  const options = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const
  const text = yaml().stringify(stored, options)
  // Stored texts do not end with white space. A string inside that ends with empty lines keeps them only if it is
  // quoted.
  return (/\s\n$/.test(text) ? yaml().stringify(stored, { ...options, blockQuote: false }) : text).trimEnd()
}

import type { Tags } from 'yaml'
import { createMemo } from '../../lib/memo.ts'
import { yaml } from '../../lib/yaml.ts'
import type { Stored } from './field.ts'
import { isForbidden, isList, isMap, isTooDeep, textOf } from './stored.ts'

/** Parsing takes some microseconds a letter: beyond these sizes nobody waits for it. */
const longest = { stored: 200_000, sent: 20_000 }
/** Values up to this size are stored in the style people write, and kept when they were parsed. */
const short = 4000
const parsed = createMemo<{ value: Stored | undefined }>(500)

/** Undefined for what is no YAML. The value is shared with all who read the same text, and frozen therefore. */
export function parseYaml(text: string, from: 'stored' | 'sent' = 'stored'): Stored | undefined {
  const known = parsed.get(text)
  if (known) return known.value
  const value = parseJson(text) ?? (text.length > longest[from] ? undefined : parse(text))
  if (text.length <= short) parsed.set(text, { value })
  return value
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

function parse(text: string): Stored | undefined {
  try {
    const options = { schema: 'failsafe', customTags: tags, uniqueKeys: false, logLevel: 'error' } as const
    return shared(yaml().parse(text, options) as Stored)
  } catch {
    return undefined // also what is nested so deeply that reading it needs more stack than there is
  }
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

/** What a value is stored as on its own: as it is, or as YAML, with texts that look like something else in quotes. */
export function toText(stored: Stored): string {
  if (typeof stored === 'string') return stored
  if (!isList(stored) && !isMap(stored)) return textOf(stored)
  const json = JSON.stringify(stored)
  if (json.length > short) return json
  const options = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const
  const text = yaml().stringify(stored, options)
  // Stored texts have no blank end; a text inside that ends with empty lines keeps them in quotes only.
  return (/\s\n$/.test(text) ? yaml().stringify(stored, { ...options, blockQuote: false }) : text).trimEnd()
}

import type { Fields } from '../../blueprints/fields/field.ts'
import { knownReferences } from '../../blueprints/fields/pickers.ts'
import { isForbiddenName } from '../../blueprints/fields/stored.ts'
import { callable, type QueryValue } from '../../blueprints/query.ts'
import type { StoredContent } from '../../content/content.ts'
import { type ModelKind, listValue, modelValue } from './lists.ts'
import type { Kinds, QueryContext } from './context.ts'

/** Field values for queries, by name: plain texts, and references with methods such as `toPages`. */
export function fieldValues(context: QueryContext, fields: Fields, content: StoredContent): Record<string, QueryValue> {
  const values: Record<string, QueryValue> = {}
  for (const name of new Set([...fields.keys(), ...Object.keys(content)])) {
    if (isForbiddenName(name)) continue
    const text = content[name] ?? ''
    const kind = kindByFieldType[fields.get(name)?.type ?? '']
    values[name] = kind ? references(context, kind, text) : text
  }
  return values
}

const kindByFieldType: Readonly<Partial<Record<string, keyof Kinds>>> = { pages: 'page', files: 'file', users: 'user' }
const methodNames = { page: ['toPage', 'toPages'], file: ['toFile', 'toFiles'], user: ['toUser', 'toUsers'] } as const

/** `page.author.toUser.name`, `page.gallery.toFiles.count` */
function references(context: QueryContext, kind: keyof Kinds, text: string): QueryValue {
  const names = knownReferences(text)
  const [one, several] = methodNames[kind]
  const first = callable(() => findFirst(context, kind, names.slice(0, 1)))
  return {
    value: text,
    isEmpty: names.length === 0,
    isNotEmpty: names.length > 0,
    count: names.length,
    first,
    [one]: first,
    [several]: callable(() => lazyList(context, kind, names)),
  }
}

/** The first model that one of the names refers to. */
export async function findFirst(
  context: QueryContext,
  kind: keyof Kinds,
  names: readonly string[],
): Promise<QueryValue> {
  const [row] = await context.find(kind, names)
  return row === undefined ? undefined : modelValue(context.kinds[kind] as ModelKind<unknown>, row)
}

export function lazyList(context: QueryContext, kind: keyof Kinds, names: readonly string[]): QueryValue {
  return listValue(context.kinds[kind] as ModelKind<unknown>, () => context.find(kind, names))
}

import type { z } from 'zod'
import { fail } from '../platform/errors.ts'
import { message } from '../platform/texts.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { declaredIn, validate } from './validate.ts'

/** Query parameters as sent: a name may occur several times. */
export type FlatQuery = Record<string, string | string[]>

/** Accepted because some clients send them, and ignored everywhere. */
const ignoredParameters = new Set(['offset', 'force', 'csrf'])

const bracket = /^([^[\]]+)(?:\[\]|\[([^[\]]+)\](\[\])?)$/

/**
 * `select[]=a&select[]=b` → `{ select: ['a', 'b'] }`; `select[role]=compact` → `{ select: { role: 'compact' } }`;
 * both → `{ select: { a: '', b: '', role: 'compact' } }`.
 */
export function nestQuery(flat: FlatQuery): Record<string, unknown> {
  const nested: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [name, value] of Object.entries(flat)) {
    if (ignoredParameters.has(name)) continue
    const [, root, key, list] = bracket.exec(name) ?? []
    if (root === undefined) nested[name] = value
    else if (key === undefined) {
      const before = nested[root]
      nested[root] = isGroup(before) ? { ...named([value].flat()), ...before } : [value].flat()
    } else {
      const before = nested[root]
      const group = isGroup(before) ? before : Array.isArray(before) ? named(before as string[]) : {}
      group[key] = list === undefined ? value : [value].flat()
      nested[root] = group
    }
  }
  return nested
}

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const named = (names: readonly string[]): Record<string, unknown> => Object.fromEntries(names.map(name => [name, '']))

/**
 * Reads ignore unknown parameters, because clients and proxies add their own (`?_=1700`). Writes reject them: with a
 * mistyped `language`, the content would be saved in another language. `empty` is what the schema makes of no
 * parameters.
 */
export function checkedQuery(endpoint: AnyEndpoint, flat: FlatQuery, empty?: z.ZodSafeParseResult<unknown>): unknown {
  const isRead = endpoint.method === 'GET' || endpoint.path.endsWith('/search')
  const schema = endpoint.selects ?? endpoint.query
  if (schema) {
    const nested = nestQuery(flat)
    if (!isRead) return validate(endpoint, schema, nested)
    const declared = declaredIn(schema, nested)
    return declared === undefined && empty?.success ? empty.data : validate(endpoint, schema, declared ?? {})
  }
  if (isRead) return undefined
  const names = Object.keys(flat)
  if (names.length === 0) return undefined
  const unknown = { label: 'query', message: { unknown: message('validation.noQuery') } }
  throw fail('validation').with({ details: { query: unknown } })
}

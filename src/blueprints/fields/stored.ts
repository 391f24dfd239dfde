import type { StoredValue } from './field.ts'

type StoredMap = { readonly [name: string]: StoredValue }

/** Names that allow prototype pollution. They are never valid names of fields. */
export const isForbiddenName = (name: string): boolean =>
  name === '__proto__' || name === 'constructor' || name === 'prototype'

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** The text of a value; lists and maps have none. */
export function textOf(stored: StoredValue | undefined): string {
  if (typeof stored === 'string') return stored.trim()
  return typeof stored === 'number' || typeof stored === 'boolean' ? String(stored) : ''
}

const maxDepth = 64

/**
 * Whether a value is nested more than `maxDepth` levels. `toStored` refuses such values, because recursive functions
 * overflow the stack on very deep ones.
 */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth > maxDepth || Object.values(value).some(part => isTooDeep(part, depth + 1))
}

/**
 * Converts any JSON to a storable value; undefined if it is nested too deeply, or has a forbidden name or a number beyond
 * the range of JavaScript.
 */
export function toStored(value: unknown, depth = 0): StoredValue | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : undefined // turns -0 into 0, as JSON does
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (depth > maxDepth || typeof value !== 'object') return undefined
  return isList(value) ? storedList(value, depth) : storedMap(value as Record<string, unknown>, depth)
}

function storedList(values: readonly unknown[], depth: number): readonly StoredValue[] | undefined {
  const list: StoredValue[] = []
  for (const value of values) {
    const stored = toStored(value, depth + 1)
    if (stored === undefined) return undefined
    list.push(stored)
  }
  return list
}

function storedMap(values: Readonly<Record<string, unknown>>, depth: number): StoredMap | undefined {
  const map: Record<string, StoredValue> = {}
  for (const name of Object.keys(values)) {
    const stored = isForbiddenName(name) ? undefined : toStored(values[name], depth + 1)
    if (stored === undefined) return undefined
    map[name] = stored
  }
  return map
}

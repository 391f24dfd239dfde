import type { StoredContent } from './content.ts'

/** Names of fields with different texts. A missing text equals an empty one. */
export function differing(one: StoredContent, other: StoredContent): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].filter(name => (one[name] ?? '') !== (other[name] ?? ''))
}

import type { StoredContent } from './content.ts'

/** The names whose texts are not the same. What is missing is as good as empty. */
export function differing(one: StoredContent, other: StoredContent): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].filter(name => (one[name] ?? '') !== (other[name] ?? ''))
}

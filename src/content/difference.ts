import type { StoredContent } from './content.ts'

/** Names of fields with different texts. A missing text equals an empty one. */
export function differing(one: StoredContent, other: StoredContent): string[] {
  const names: string[] = []
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)]))
    if ((one[name] ?? '') !== (other[name] ?? '')) names.push(name)
  return names
}

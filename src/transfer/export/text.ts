import { trimmed } from '../import/text.ts'

/** Names and values as a text file; what reads such files finds the same in it. */
export function writeText(fields: Iterable<readonly [name: string, value: string]>): string {
  return Array.from(fields, ([name, value]) => fieldOf(keyOf(name), escaped(trimmed(value)))).join('\n\n----\n\n')
}

function fieldOf(key: string, value: string): string {
  return value.includes('\n') ? `${key}:\n\n${value}` : `${key}: ${value}`
}

/** `custom_note` → `Custom-note`. A letter that would not come back the same stays small. */
function keyOf(name: string): string {
  const [first = '', ...rest] = name
  const large = first.toUpperCase()
  return [large.toLowerCase() === first ? large : first, ...rest].join('').replaceAll('_', '-')
}

/** What would divide fields, and what looks like that having been done already. */
const escaped = (value: string) => value.replaceAll(/(?<=^|\n)(?=\\*----)/g, '\\')

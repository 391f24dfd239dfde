import { trimmed } from '../import/text.ts'

/** Writes names and values as a text file; reading it gives the same values. */
export function writeText(fields: Iterable<readonly [name: string, value: string]>): string {
  return Array.from(fields, ([name, value]) => fieldOf(keyOf(name), escaped(trimmed(value)))).join('\n\n----\n\n')
}

function fieldOf(key: string, value: string): string {
  return value.includes('\n') ? `${key}:\n\n${value}` : `${key}: ${value}`
}

/** `custom_note` → `Custom-note`. A letter stays lower-case if its upper case would not convert back to it. */
function keyOf(name: string): string {
  const [first = '', ...rest] = name
  const upper = first.toUpperCase()
  return [upper.toLowerCase() === first ? upper : first, ...rest].join('').replaceAll('_', '-')
}

/** Escapes lines that would separate fields, and lines that look like an escaped separator. */
const escaped = (value: string) => value.replaceAll(/(?<=^|\n)(?=\\*----)/g, '\\')

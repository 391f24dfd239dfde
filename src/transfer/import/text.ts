import { isForbiddenName } from '../../blueprints/fields/stored.ts'

/** The fields of a text file, and the number of its parts that are not fields. */
export interface ReadText {
  content: Record<string, string>
  odd: number
}

/** A line of four dashes. */
const divider = /(?<=^|\n)----[^\S\n]*(?=\n|$)/
const maxNameLength = 100

/** `Key: value`, separated by lines of four dashes. If a name occurs twice, the later value wins. */
export function readText(text: string): ReadText {
  const content: Record<string, string> = {}
  let odd = 0
  for (const part of text.replace(/^\ufeff/, '').split(divider)) {
    const colon = part.indexOf(':')
    const name = nameIn(colon < 0 ? '' : part.slice(0, colon))
    if (name !== undefined) content[name] = unescaped(trimmed(part.slice(colon + 1)))
    else if (trimmed(part) !== '') odd++
  }
  return { content, odd }
}

/** `Custom-note` → `custom_note`; undefined if it is not a valid field name. */
function nameIn(text: string): string | undefined {
  if (text.length > 2 * maxNameLength) return undefined
  const name = trimmed(text).toLowerCase().replaceAll(/[- ]/g, '_')
  return name === '' || name.length > maxNameLength || /\p{C}/u.test(name) || isForbiddenName(name) ? undefined : name
}

/** Removes the backslash that escapes a separator line, or a line that already starts with a backslash. */
const unescaped = (value: string) => value.replaceAll(/(?<=^|\n)\\(?=\\*----)/g, '')

const blanks = new Set([' ', '\t', '\n', '\r', '\0', '\v'])

/** Trims only these characters: other white space may be intended. */
export function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && blanks.has(text[start]!)) start++
  while (end > start && blanks.has(text[end - 1]!)) end--
  return text.slice(start, end)
}

import { isForbidden } from '../../blueprints/fields/stored.ts'

/** The fields of a text file, and how many parts of it are none. */
export interface ReadText {
  content: Record<string, string>
  odd: number
}

/** A line of four dashes and nothing else. */
const divider = /(?<=^|\n)----[^\S\n]*(?=\n|$)/
const maxNameLength = 100

/** `Key: value`, divided by lines of four dashes. Of two with the same name the later one counts. */
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

/** `Custom-note` → `custom_note`; undefined for what cannot be the name of a field. */
function nameIn(text: string): string | undefined {
  if (text.length > 2 * maxNameLength) return undefined
  const name = trimmed(text).toLowerCase().replaceAll(/[- ]/g, '_')
  return name === '' || name.length > maxNameLength || /\p{C}/u.test(name) || isForbidden(name) ? undefined : name
}

/** A line that would divide was written with a backslash, and so was one that had one already. */
const unescaped = (value: string) => value.replaceAll(/(?<=^|\n)\\(?=\\*----)/g, '')

const blanks = new Set([' ', '\t', '\n', '\r', '\0', '\v'])

/** Of these blanks only: others may be meant. */
export function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && blanks.has(text[start]!)) start++
  while (end > start && blanks.has(text[end - 1]!)) end--
  return text.slice(start, end)
}

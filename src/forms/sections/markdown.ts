import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import type * as Marked from 'marked'
import { sanitise } from '../../blueprints/fields/html.ts'
import { maxFilledLength, placeholder } from '../../blueprints/query.ts'

const require = createRequire(import.meta.url)
let library: typeof Marked | undefined

/** Loaded when the first text needs it. */
const marked = () => (library ??= require('marked') as typeof Marked)

const longest = 10_000

/**
 * A text of a blueprint as HTML that can be shown to anybody. Only what the blueprint says is Markdown: the values of its
 * placeholders are put in afterwards, because some texts of editors would take minutes to be read as such.
 */
export async function markdown(text: string, fill: (part: string) => Promise<string>): Promise<string> {
  const parts: string[] = []
  // A word that nobody can write: Markdown leaves it alone, also in an address.
  const mark = `x${randomBytes(12).toString('hex')}x`
  const marks = text.slice(0, longest).replaceAll(placeholder, part => `${mark}${parts.push(part) - 1}x`)
  const html = marked().parse(marks, { async: false, breaks: true }).trim()
  const values: string[] = []
  let left = maxFilledLength
  for (const part of parts) {
    const value = left > 0 ? await fill(part) : ''
    left -= value.length
    values.push(value)
  }
  const filled = html.replaceAll(new RegExp(`${mark}(\\d+)x`, 'g'), (_, at: string) => values[Number(at)] ?? '')
  return sanitise(filled) ?? ''
}

import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import type * as Marked from 'marked'
import { sanitise } from '../../blueprints/fields/html.ts'
import { maxFilledLength, placeholder } from '../../blueprints/query.ts'

const require = createRequire(import.meta.url)
let library: typeof Marked | undefined

/** Loaded lazily, by the first text that needs it. */
const marked = () => (library ??= require('marked') as typeof Marked)

const maxLength = 10_000

/**
 * Converts a blueprint text to sanitised HTML. Only the blueprint is parsed as Markdown; placeholder values are
 * inserted afterwards, because some texts of editors would take minutes to parse.
 */
export async function markdown(text: string, fill: (part: string) => Promise<string>): Promise<string> {
  const parts: string[] = []
  // A random word that no text contains. Markdown does not change it, not even in a URL.
  const mark = `x${randomBytes(12).toString('hex')}x`
  const marks = text.slice(0, maxLength).replaceAll(placeholder, part => `${mark}${parts.push(part) - 1}x`)
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

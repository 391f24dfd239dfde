import { message } from '../../platform/texts.ts'
import { Unsafe } from './markup.ts'

const svg = 'http://www.w3.org/2000/svg'
const xlink = 'http://www.w3.org/1999/xlink'

/**
 * Processing instructions of drawing programs. Those for style sheets stay, because removing them would change the
 * picture.
 */
const instruction = /<\?(?:xpacket|adobe-[\w-]+)\b[^>]*?\?>/g
const entity = /<!ENTITY\s+([\w.-]+)\s+(?:"([^"&%<]*)"|'([^'&%<]*)')\s*>/g
const maxEntity = 1000
/** Limit in characters for what expanded entities may add to a drawing. */
const maxGrowth = 1_000_000

/**
 * Normalizes an SVG for browsers: removes the document type and expands its entities, removes instructions of drawing
 * programs, and adds missing namespaces. Returns the same text if nothing has to change. `checkMarkup` must run
 * afterwards: this does not make it safe.
 */
export function cleanDrawing(text: string): string {
  return withNamespaces(withoutDoctype(text.includes('<?', 5) ? text.replaceAll(instruction, '') : text))
}

/** The index after the prolog: XML declaration, whitespace and comments. */
function afterPreface(text: string): number {
  let at = text.startsWith('\ufeff') ? 1 : 0
  for (;;) {
    while (/\s/.test(text[at] ?? '')) at++
    const end = text.startsWith('<!--', at) ? '-->' : text.startsWith('<?xml', at) ? '?>' : undefined
    const found = end === undefined ? -1 : text.indexOf(end, at)
    if (found < 0) return at
    at = found + end!.length
  }
}

function withoutDoctype(text: string): string {
  const start = afterPreface(text)
  if (!/^<!DOCTYPE\s/i.test(text.slice(start, start + 10))) return text
  const end = endOf(text, start)
  if (end === undefined) return text
  const known = new Map<string, string>()
  for (const [, name, double, single] of text.slice(start, end).matchAll(entity)) {
    const value = double ?? single!
    if (value.length <= maxEntity && !known.has(name!)) known.set(name!, value)
  }
  const rest = text.slice(0, start) + text.slice(end).trimStart()
  return known.size === 0 ? rest : writtenOut(rest, known)
}

function writtenOut(text: string, known: ReadonlyMap<string, string>): string {
  let growth = 0
  return text.replaceAll(/&([\w.-]+);/g, (whole, name: string) => {
    const value = known.get(name)
    if (value === undefined) return whole
    growth += value.length
    if (growth > maxGrowth) throw new Unsafe(message('unsafe.entity'))
    return value
  })
}

const maxTag = 100_000

/** The index after the closing `>` of a tag or document type, ignoring any `>` in quotes or brackets. */
function endOf(text: string, start: number): number | undefined {
  let quote: string | undefined
  let isInside = false
  for (let at = start; at < Math.min(text.length, start + maxTag); at++) {
    const sign = text[at]!
    if (quote !== undefined) {
      if (sign === quote) quote = undefined
    } else if (sign === '"' || sign === "'") quote = sign
    else if (sign === '[') isInside = true
    else if (sign === ']') isInside = false
    else if (sign === '>' && !isInside) return at + 1
  }
  return undefined
}

/** Only for names without a prefix: a prefix needs its own declaration in the file. */
function withNamespaces(text: string): string {
  const start = afterPreface(text)
  const end = endOf(text, start)
  if (end === undefined || !/^<svg[\s>/]/.test(text.slice(start, start + 5))) return text
  const root = text.slice(start, end)
  const missing = [
    ...(/\sxmlns\s*=/.test(root) ? [] : [` xmlns="${svg}"`]),
    ...(/\sxlink:/.test(text) && !/\sxmlns:xlink\s*=/.test(text) ? [` xmlns:xlink="${xlink}"`] : []),
  ]
  return missing.length === 0 ? text : `${text.slice(0, start)}<svg${missing.join('')}${text.slice(start + 4)}`
}

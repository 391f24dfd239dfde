import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { message } from '../../platform/texts.ts'
import { UnsafeMarkup } from './markup.ts'

const svg = 'http://www.w3.org/2000/svg'
const xlink = 'http://www.w3.org/1999/xlink'

/**
 * Processing instructions of graphics programs. Those for style sheets stay, because removing them would change the
 * image.
 */
const instruction = /<\?(?:xpacket|adobe-[\w-]+)\b[^<>]*\?>/g
const entity = /<!ENTITY\s+([\w.-]+)\s+(?:"([^"&%<]*)"|'([^'&%<]*)')\s*>/g
/** In characters, like the other lengths here. Longer entities are not expanded. */
const maxEntityLength = 1000
/** Limits for expanded entities: how many, and how many characters they may add to an SVG. */
const maxExpanded = 50_000
const maxGrowth = 1_000_000

/**
 * Normalizes an SVG for browsers: removes the document type and expands its entities, removes instructions of graphics
 * programs, and adds missing namespaces. Returns the same text if nothing has to change. `checkMarkup` must run
 * afterwards: this does not make it safe.
 */
export async function cleanSvg(text: string): Promise<string> {
  const plain = text.includes('<?', 5) ? text.replaceAll(instruction, '') : text
  await yieldToOthers()
  const untyped = withoutDoctype(plain)
  await yieldToOthers()
  return withNamespaces(untyped)
}

/** The index after the prolog: XML declaration, whitespace and comments. */
function afterProlog(text: string): number {
  prolog.lastIndex = 0
  return prolog.exec(text.slice(0, maxProlog))![0].length
}

const maxProlog = 100_000
const prolog = /\ufeff?(?:\s+|<!--.*?-->|<\?xml.*?\?>)*/sy

function withoutDoctype(text: string): string {
  const start = afterProlog(text)
  if (!/^<!DOCTYPE\s/i.test(text.slice(start, start + 10))) return text
  const end = endOf(text, start)
  if (end === undefined) return text
  const entities = new Map<string, string>()
  for (const [, name, double, single] of text.slice(start, end).matchAll(entity)) {
    const value = double ?? single!
    if (value.length <= maxEntityLength && !entities.has(name!)) entities.set(name!, value)
  }
  const rest = text.slice(0, start) + text.slice(end).trimStart()
  return entities.size === 0 ? rest : expandEntities(rest, entities)
}

function expandEntities(text: string, entities: ReadonlyMap<string, string>): string {
  let [result, end, expanded, growth] = ['', 0, 0, 0]
  for (const { 0: whole, 1: name, index } of text.matchAll(/&([\w.-]+);/g)) {
    const value = entities.get(name!) ?? whole
    growth += value.length
    if (++expanded > maxExpanded || growth > maxGrowth) throw new UnsafeMarkup(message('unsafe.entity'))
    result += text.slice(end, index) + value
    end = index + whole.length
  }
  return result + text.slice(end)
}

const maxTagLength = 100_000

/** The index after the closing `>` of a tag or document type, ignoring any `>` in quotes or brackets. */
function endOf(text: string, start: number): number | undefined {
  let quote: string | undefined
  let isInside = false
  for (let at = start; at < Math.min(text.length, start + maxTagLength); at++) {
    const character = text[at]!
    if (quote !== undefined) {
      if (character === quote) quote = undefined
    } else if (character === '"' || character === "'") quote = character
    else if (character === '[') isInside = true
    else if (character === ']') isInside = false
    else if (character === '>' && !isInside) return at + 1
  }
  return undefined
}

/** Only for names without a prefix: a prefix needs its own declaration in the file. */
function withNamespaces(text: string): string {
  const start = afterProlog(text)
  const end = endOf(text, start)
  if (end === undefined || !/^<svg[\s>/]/.test(text.slice(start, start + 5))) return text
  const root = text.slice(start, end)
  const missing = [
    ...(/\sxmlns\s*=/.test(root) ? [] : [` xmlns="${svg}"`]),
    ...(text.includes('xlink:') && /\sxlink:/.test(text) && !/\sxmlns:xlink\s*=/.test(text)
      ? [` xmlns:xlink="${xlink}"`]
      : []),
  ]
  return missing.length === 0 ? text : `${text.slice(0, start)}<svg${missing.join('')}${text.slice(start + 4)}`
}

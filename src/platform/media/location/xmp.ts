import type { ByteSource, Patch } from './source.ts'

const maxSize = 1024 * 1024
/** Maximum number of matches: no program writes more, and each one searches the whole text. */
const maxFound = 200

const attribute = /\s(?:[\w.-]+:)?gps\w*\s*=\s*(["'])/gi
const element = /<((?:[\w.-]+:)?gps\w*)(?=[\s/>])/gi

/** Overwrites all `GPS…` attributes and elements of an XMP packet with spaces, which are insignificant there. */
export async function xmpPatches(source: ByteSource, start: number, length: number): Promise<Patch[]> {
  if (length > maxSize) return []
  const text = (await source.read(start, length)).toString('latin1')
  return [...attributes(text), ...elements(text)].map(([from, to]) => ({
    at: start + from,
    bytes: Buffer.alloc(to - from, ' '),
  }))
}

type Span = [from: number, to: number]

function attributes(text: string): Span[] {
  return [...text.matchAll(attribute)].slice(0, maxFound).flatMap(({ 0: found, 1: quote, index }): Span[] => {
    const end = text.indexOf(quote!, index + found.length)
    return end < 0 ? [] : [[index, end + 1]]
  })
}

function elements(text: string): Span[] {
  return [...text.matchAll(element)].slice(0, maxFound).flatMap(({ 0: found, 1: name, index }): Span[] => {
    const tagEnd = text.indexOf('>', index + found.length)
    if (tagEnd < 0) return []
    if (text[tagEnd - 1] === '/') return [[index, tagEnd + 1]]
    const closing = text.indexOf(`</${name!}`, tagEnd)
    const end = closing < 0 ? -1 : text.indexOf('>', closing)
    return end < 0 ? [] : [[index, end + 1]]
  })
}

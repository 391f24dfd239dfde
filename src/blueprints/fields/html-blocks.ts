import { sanitise, sanitiseSent, textIn } from './html.ts'

interface HtmlBlock {
  type: string
  content: Record<string, string>
}

/**
 * Converts text from before the field had blocks: one block for every heading, list, quote and so on. Undefined if it
 * is too large to sanitise.
 */
export function blocksIn(html: string): HtmlBlock[] | undefined {
  const clean = sanitise(html)
  return clean === undefined ? undefined : blocksInClean(clean)
}

/** The same for HTML of a request; it counts against the CPU budget. */
export function blocksInSent(html: string): HtmlBlock[] | undefined {
  const clean = sanitiseSent(html)
  return clean === undefined ? undefined : blocksInClean(clean)
}

function blocksInClean(html: string): HtmlBlock[] {
  const blocks: HtmlBlock[] = []
  for (const piece of piecesOf(html)) {
    const block = toBlock(piece)
    const last = blocks.at(-1)
    // Consecutive paragraphs become one text block.
    if (last?.type === 'text' && block.type === 'text') last.content['text'] += block.content['text']!
    else blocks.push(block)
  }
  return blocks
}

function toBlock({ tag, inner, outer }: Piece): HtmlBlock {
  switch (tag) {
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return { type: 'heading', content: { level: tag, text: inner } }
    case 'ul':
    case 'ol':
      return { type: 'list', content: { text: outer } }
    case 'blockquote':
      return { type: 'quote', content: { text: inner } }
    case 'pre':
      return { type: 'code', content: { code: textIn(inner) } }
    case 'hr':
      return { type: 'line', content: {} }
    default:
      return { type: 'text', content: { text: outer } }
  }
}

interface Piece {
  tag: string
  inner: string
  outer: string
}

const apart = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'blockquote', 'pre', 'hr', 'figure'])

/** The top-level elements of sanitised HTML, in which every tag is closed. Text between them is a paragraph. */
function* piecesOf(html: string): Generator<Piece> {
  let [depth, loose, start, innerStart] = [0, 0, 0, 0]
  for (const { 0: mark, 1: slash, 2: tag = '', index } of html.matchAll(/<(\/?)([a-z]+[1-6]?)[^>]*>/g)) {
    if (depth === 0 && !apart.has(tag)) continue
    const end = index + mark.length
    if (slash === '' && depth === 0) {
      yield* paragraphs(html.slice(loose, index))
      ;[start, innerStart, loose] = [index, end, end]
    }
    if (!mark.endsWith('/>')) depth += slash === '' ? 1 : -1
    if (depth > 0) continue
    yield { tag, inner: html.slice(innerStart, index), outer: html.slice(start, end) }
    loose = end
  }
  yield* paragraphs(html.slice(loose))
}

function* paragraphs(text: string): Generator<Piece> {
  for (const part of text.split(/\n\s*\n/)) {
    const inner = part.trim()
    if (inner !== '') yield { tag: 'p', inner, outer: `<p>${inner}</p>` }
  }
}

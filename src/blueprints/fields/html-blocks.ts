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
  for (const element of topLevelElements(html)) {
    const block = toBlock(element)
    const last = blocks.at(-1)
    // Consecutive paragraphs become one text block.
    if (last?.type === 'text' && block.type === 'text') last.content['text'] += block.content['text']!
    else blocks.push(block)
  }
  return blocks
}

function toBlock({ tag, inner, outer }: TopLevelElement): HtmlBlock {
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

interface TopLevelElement {
  tag: string
  inner: string
  outer: string
}

const blockTags = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'blockquote', 'pre', 'hr', 'figure'])

/** The top-level elements of sanitised HTML, in which every tag is closed. Text between them is a paragraph. */
function* topLevelElements(html: string): Generator<TopLevelElement> {
  let [depth, textStart, start, innerStart] = [0, 0, 0, 0]
  for (const { 0: match, 1: slash, 2: tag = '', index } of html.matchAll(/<(\/?)([a-z]+[1-6]?)[^>]*>/g)) {
    if (depth === 0 && !blockTags.has(tag)) continue
    const end = index + match.length
    if (slash === '' && depth === 0) {
      yield* paragraphs(html.slice(textStart, index))
      ;[start, innerStart, textStart] = [index, end, end]
    }
    if (!match.endsWith('/>')) depth += slash === '' ? 1 : -1
    if (depth > 0) continue
    yield { tag, inner: html.slice(innerStart, index), outer: html.slice(start, end) }
    textStart = end
  }
  yield* paragraphs(html.slice(textStart))
}

function* paragraphs(text: string): Generator<TopLevelElement> {
  for (const part of text.split(/\n\s*\n/)) {
    const inner = part.trim()
    if (inner !== '') yield { tag: 'p', inner, outer: `<p>${inner}</p>` }
  }
}

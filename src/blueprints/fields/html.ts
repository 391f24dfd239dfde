import { createRequire } from 'node:module'
import type SanitizeHtml from 'sanitize-html'
import { createLruCache } from '../../platform/lib/lru-cache.ts'
import { withBudget } from './budget.ts'

const require = createRequire(import.meta.url)
let library: typeof SanitizeHtml | undefined

/** Loaded when the first text with tags needs it. */
const sanitizeHtml = () => (library ??= require('sanitize-html') as typeof SanitizeHtml)

const tags = [
  'a', 'abbr', 'b', 'blockquote', 'br', 'cite', 'code', 'del', 'em', 'figcaption', 'figure', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6',
  'hr', 'i', 'ins', 'kbd', 'li', 'mark', 'ol', 'p', 'pre', 'q', 's', 'small', 'strong', 'sub', 'sup', 'u', 'ul',
] // prettier-ignore

/** The elements that the writer creates, and their names in older editors. Other tags are removed; their text stays. */
const rules: SanitizeHtml.IOptions = {
  allowedTags: tags,
  allowedAttributes: {
    a: ['href', 'rel', 'target', 'title'],
    abbr: ['title'],
    code: ['class'],
    ol: ['start'],
    '*': ['dir', 'lang'],
  },
  allowedClasses: { code: ['language-*'] },
  allowedSchemes: ['http', 'https', 'ftp', 'mailto', 'tel', 'page', 'file'],
  allowProtocolRelative: false,
  nestingLimit: 30,
}

/**
 * Returns safe HTML: no scripts, no styles, no active attributes; every tag is closed. Clean HTML, such as all that we
 * store, is not parsed again. Undefined if parsing it would block the event loop too long.
 */
export function sanitise(html: string): string | undefined {
  if (isClean(html)) return html
  const cached = cleaned.get(html)
  if (cached !== undefined) return cached
  if (costOf(html) > maxRead || isTooDeep(html)) return undefined
  const clean = sanitizeHtml()(html, rules).trim()
  if (html.length <= maxCached) cleaned.set(html, clean)
  return clean
}

/** Longer texts are not cached, in characters. */
const maxCached = 20_000
const cleaned = createLruCache<string>(200)

/** Limit for reading one value, in tags: the same as the budget of one request for sent values. */
const maxRead = 10_000
const maxNesting = 100
/** Cost in tags: a fixed cost for every parsed text, and one tag for so many characters. */
const perText = 5
const charactersPerTag = 40

const costOf = (html: string) => perText + Math.floor(html.length / charactersPerTag) + html.split(/[<&]/).length

/** The same for HTML of a request: all its values share one CPU budget. */
export function sanitiseSent(html: string): string | undefined {
  if (isTooDeep(html)) return undefined
  if (isClean(html)) return html
  const cost = costOf(html)
  return withBudget(budget => {
    budget.tags -= cost
    return budget.tags < 0 ? undefined : sanitizeHtml()(html, rules).trim()
  })
}

/** Void elements, and elements whose end tag may be omitted. */
const tagsWithoutEnd =
  /^(?:area|base|br|col|dd|dt|embed|hr|img|input|li|link|meta|option|p|source|td|th|tr|track|wbr)$/i

/** A tag has at least three characters, so short texts need not be scanned. */
const isTooDeep = (html: string) => html.length > 3 * maxNesting && depthOf(html) > maxNesting

/** The maximum nesting of elements, possibly a little too low: it is estimated without parsing. */
function depthOf(html: string): number {
  let [depth, deepest] = [0, 0]
  for (const [, slash, tag] of html.matchAll(/<(\/?)([a-z][^\s/>]{0,20})/gi)) {
    if (tagsWithoutEnd.test(tag!)) continue
    depth = slash === '/' ? Math.max(0, depth - 1) : depth + 1
    if (depth > deepest) deepest = depth
  }
  return deepest
}

const address = '(?:(?:https?://|mailto:|tel:|page://|file://|#|/(?![/\\\\]))(?:[^"<>&\\s]|&amp;)*|[\\w.-][\\w./-]*)'
const attributes = [
  `href="${address}"`,
  'class="language-[\\w-]+"',
  '(?:dir|lang|rel|start|target|title)="(?:[^"<>&]|&(?:amp|quot|lt|gt);)*"',
]
const safeHtml = new RegExp(
  [
    '&(?:amp|lt|gt|quot);',
    `<(/?)(${tags.join('|')})(?: ?/)?>`,
    `<(${tags.join('|')})(?: (?:${attributes.join('|')}))+(?: ?/)?>`,
  ].join('|'),
  'y',
)
const specialCharacters = /[<>&]/g

/** Whether every special character belongs to an entity or to a tag that is known to be harmless. */
function isClean(html: string): boolean {
  const open: string[] = []
  for (let from = 0; ; from = safeHtml.lastIndex) {
    specialCharacters.lastIndex = from
    if (!specialCharacters.test(html)) return open.length === 0
    safeHtml.lastIndex = specialCharacters.lastIndex - 1
    const found = safeHtml.exec(html)
    if (!found) return false
    const [, slash, tag, opened = tag] = found
    if (slash === '/') {
      if (open.pop() !== tag) return false
    } else if (opened !== undefined && opened !== 'br' && opened !== 'hr') open.push(opened)
  }
}

const block = 'blockquote|figcaption|figure|h[1-6]|hr|li|ol|p|pre|ul'
const blockEnds = new RegExp(`(?:(?:</(?:${block})>|<hr\\b[^>]*>)\\s*)+(?=.)`, 'gis')
const blockTags = new RegExp(`</?(?:${block})\\b[^>]*>`, 'gi')

/** Sanitised HTML without paragraphs, lists and the like: they become lines. */
export function withoutBlocks(html: string): string {
  if (!html.includes('<')) return html
  const lines = html.replaceAll(blockEnds, '<br>').replaceAll(blockTags, '')
  // The end of the last block is no line.
  return lines === html ? html.trim() : lines.replace(/(?:<br>|\s)+$/, '').trim()
}

/** The text of sanitised HTML, without tags. */
export function textIn(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

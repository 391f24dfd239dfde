import { createRequire } from 'node:module'
import type SanitizeHtml from 'sanitize-html'

const require = createRequire(import.meta.url)
let library: typeof SanitizeHtml | undefined

/** Loaded when the first text with tags needs it. */
const sanitizeHtml = () => (library ??= require('sanitize-html') as typeof SanitizeHtml)

const tags = [
  'a', 'abbr', 'b', 'blockquote', 'br', 'cite', 'code', 'del', 'em', 'figcaption', 'figure', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6',
  'hr', 'i', 'ins', 'kbd', 'li', 'mark', 'ol', 'p', 'pre', 'q', 's', 'small', 'strong', 'sub', 'sup', 'u', 'ul',
] // prettier-ignore

/** What a writer can make, and what older editors called it. Whatever is not here goes; its text stays. */
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
 * HTML that can be shown to anybody: no scripts, no styles, no attribute that acts; every tag is closed. What is clean
 * already, as all that we have stored, is not parsed again.
 */
export function sanitise(html: string): string {
  return isClean(html) ? html : sanitizeHtml()(html, rules).trim()
}

const harmless = new RegExp(
  [
    '&(?:amp|lt|gt|quot);',
    `<(/?)(${tags.join('|')})(?: ?/)?>`,
    '<(a) href="(?:https?://|mailto:|tel:|page://|file://|#|/(?![/\\\\]))(?:[^"<>&\\s]|&amp;)*"' +
      '(?: (?:rel|target|title)="(?:[^"<>&]|&(?:amp|quot|lt|gt);)*")*>',
  ].join('|'),
  'g',
)

/** Every sign that means something in HTML belongs to an entity, or to a tag, that is certainly harmless. */
function isClean(html: string): boolean {
  if (!/[<>&]/.test(html)) return true
  const open: string[] = []
  const rest = html.replaceAll(harmless, (_, slash?: string, tag?: string, link?: string) => {
    if (slash === '/') return open.pop() === tag ? '' : '<'
    const opened = tag ?? link
    if (opened !== undefined && opened !== 'br' && opened !== 'hr') open.push(opened)
    return ''
  })
  return open.length === 0 && !/[<>&]/.test(rest)
}

/** The words of clean HTML, without tags. */
export function textIn(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

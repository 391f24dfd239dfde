import { createElement, memo } from 'react'
import type { ReactNode } from 'react'

/** Allowed elements and their allowed attributes. Other elements are replaced by their content. */
const allowedElements: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'title', 'target', 'rel'], abbr: ['title'], b: [], blockquote: [], br: [], cite: [], code: [], del: [],
  em: [], figcaption: [], figure: [], h1: [], h2: [], h3: [], h4: [], h5: [], h6: [], hr: [], i: [], ins: [], kbd: [],
  li: [], mark: [], ol: ['start'], p: [], pre: [], q: [], s: [], small: [], span: [], strong: [], sub: [], sup: [],
  u: [], ul: [], dl: [], dt: [], dd: [], table: [], thead: [], tbody: [], tr: [], th: [], td: [],
} // prettier-ignore

/** Elements that are removed with their content. */
const dropped = new Set(['script', 'style', 'iframe', 'object', 'embed', 'template', 'svg', 'math', 'noscript'])

const safe = /^(?:https?:|ftp:|mailto:|tel:|page:|file:|#|\/(?![/\\])|[\w.-]+(?:[/?#]|$))/i

interface Props {
  value: string
  /** Renders links as plain text, because the HTML is inside an element that is clickable itself. */
  passive?: boolean
}

/**
 * Renders HTML as React elements. It is parsed into an inert document, and only allowed elements are rebuilt from it,
 * so that untrusted HTML is safe.
 */
export const Html = memo(function Html({ value, passive = false }: Props) {
  if (!/[<&]/.test(value)) return <>{value}</>
  const { body } = new DOMParser().parseFromString(value, 'text/html')
  return <>{children(body, passive)}</>
})

function children(parent: Node, passive: boolean): ReactNode[] {
  return [...parent.childNodes].map((node, index) => built(node, passive, index))
}

function built(node: Node, passive: boolean, key: number): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) return node.nodeValue
  if (!(node instanceof Element)) return null
  const tag = node.localName
  if (dropped.has(tag)) return null
  const attributes = allowedElements[tag]
  const inner = node.childNodes.length > 0 ? children(node, passive) : undefined
  if (!attributes) return inner
  if (tag === 'a' && passive) {
    return (
      <span key={key} className="text-accent underline">
        {inner}
      </span>
    )
  }
  return createElement(tag, { key, ...attributesOf(node, attributes) }, inner)
}

function attributesOf(element: Element, allowed: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of [...allowed, 'dir', 'lang']) {
    const value = element.getAttribute(name)
    if (value === null) continue
    if (name === 'href' && !safe.test(value.trim())) continue
    found[name] = value
  }
  if (found['target'] === '_blank') found['rel'] = 'noopener noreferrer'
  return found
}

/** The text of HTML, without tags. */
export function textOfHtml(html: string): string {
  if (!/[<&]/.test(html)) return html
  const spaced = html.replaceAll(/<(?:[bh]r|\/(?:p|pre|li|h\d|blockquote))\b[^>]*>/gi, ' $&')
  return (new DOMParser().parseFromString(spaced, 'text/html').body.textContent ?? '').trim()
}

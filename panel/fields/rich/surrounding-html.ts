import { type Editor, getHTMLFromFragment } from '@tiptap/core'
import type { EditorFeatures } from './marks.ts'

/** The HTML before and after a range of a text. */
export interface SurroundingHtml {
  before: string
  after: string
}

/** A paragraph that begins with a Markdown prefix. */
export interface PrefixedParagraph extends SurroundingHtml {
  prefix: string
  /** The HTML of the rest of the paragraph. */
  html: string
}

/** Removes the `<p>` around a single paragraph. */
export const unwrapParagraph = (html: string): string => html.replace(/^<p[^>]*>/, '').replace(/<\/p>$/, '')

export function htmlAround(
  { doc, schema }: Editor['state'],
  start: number,
  end: number,
  { inline }: Pick<EditorFeatures, 'inline'>,
): SurroundingHtml {
  const html = (from: number, to: number) => {
    const part = doc.cut(from, to)
    if (part.textContent.trim() === '') return ''
    const rendered = getHTMLFromFragment(part.content, schema)
    return inline ? unwrapParagraph(rendered) : rendered
  }
  // `cut` within a paragraph, before its first or after its last character, would leave an empty one.
  const [$start, $end] = [doc.resolve(start), doc.resolve(end)]
  const isAtStart = $start.depth === 1 && $start.parentOffset === 0
  const isAtEnd = $end.depth === 1 && $end.parentOffset === $end.parent.content.size
  return {
    before: html(0, isAtStart ? $start.before() : start),
    after: html(isAtEnd ? $end.after() : end, doc.content.size),
  }
}

/** Markdown prefixes. All need a trailing space except `---` (horizontal rule). */
const prefixes = /^(?:(#{1,6}|[-*+]|1[.)]|>|```) |(---))$/
const maxPrefixLength = 6

/** The paragraph, if the typed character completes a prefix at its start. */
export function prefixedParagraphAt(state: Editor['state'], typed: string): PrefixedParagraph | undefined {
  const { $from, empty } = state.selection
  if (!empty || $from.depth !== 1 || $from.parent.type.name !== 'paragraph' || $from.parentOffset > maxPrefixLength)
    return undefined
  const [, spaced, rule] = prefixes.exec($from.parent.textBetween(0, $from.parentOffset, '', '\n') + typed) ?? []
  const prefix = spaced ?? rule
  if (prefix === undefined) return undefined
  const rest = getHTMLFromFragment(state.doc.cut($from.pos, $from.end()).content, state.schema)
  return { ...htmlAround(state, $from.before(), $from.after(), { inline: false }), prefix, html: unwrapParagraph(rest) }
}

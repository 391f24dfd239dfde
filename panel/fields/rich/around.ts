import { type Editor, getHTMLFromFragment } from '@tiptap/core'
import type { EditorFeatures } from './marks.ts'

/** The HTML before and after the selection. */
export interface SurroundingHtml {
  before: string
  after: string
}

/** A paragraph that begins with the sign of a heading, a list and so on. */
export interface PrefixedLine extends SurroundingHtml {
  prefix: string
  /** The rest of the paragraph. */
  text: string
}

/** Removes the `<p>` around a single paragraph. */
export const unwrap = (html: string): string => html.replace(/^<p[^>]*>/, '').replace(/<\/p>$/, '')

export function aroundRange(
  { doc, schema }: Editor['state'],
  start: number,
  end: number,
  { inline }: Pick<EditorFeatures, 'inline'>,
): SurroundingHtml {
  const html = (from: number, to: number) => {
    const part = doc.cut(from, to)
    if (part.textContent.trim() === '') return ''
    // `cut` leaves an empty paragraph at the edge.
    const made = getHTMLFromFragment(part.content, schema).replaceAll(/^(?:<p><\/p>)+|(?:<p><\/p>)+$/g, '')
    return inline ? unwrap(made) : made
  }
  return { before: html(0, start), after: html(end, doc.content.size) }
}

/** With a space at its end, except for a line. */
const prefixes = /^(?:(#{1,6}|[-*+]|1[.)]|>|```) |(---))$/

/** The paragraph, if the typed character completes a prefix at its start. */
export function prefixedBy(state: Editor['state'], typed: string): PrefixedLine | undefined {
  const { $from, empty } = state.selection
  if (!empty || $from.depth !== 1 || $from.parent.type.name !== 'paragraph' || $from.parentOffset > 6) return undefined
  const [, sign, line] = prefixes.exec($from.parent.textBetween(0, $from.parentOffset, '', '\n') + typed) ?? []
  const prefix = sign ?? line
  if (prefix === undefined) return undefined
  const rest = getHTMLFromFragment(state.doc.cut($from.pos, $from.end()).content, state.schema)
  return { ...aroundRange(state, $from.before(), $from.after(), { inline: false }), prefix, text: unwrap(rest) }
}

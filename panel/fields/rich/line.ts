import { type Editor, getHTMLFromFragment } from '@tiptap/core'

/** The paragraph at the end of which somebody writes. */
export interface Line {
  text: string
  /** The text that it is in. */
  element: HTMLElement
  /** Where it stands in the window. */
  at: () => DOMRect
  /** The HTML before and after it. */
  around: () => { before: string; after: string }
}

/** Undefined where the caret is elsewhere: in the middle of it, in a list, over chosen words. */
export function lineOf({ state: { selection, doc, schema }, view, isFocused }: Editor): Line | undefined {
  const { $from, empty } = selection
  if (!isFocused || !empty || $from.depth !== 1 || $from.parent.type.name !== 'paragraph') return undefined
  if ($from.parentOffset !== $from.parent.content.size) return undefined
  const [start, end] = [$from.before(), $from.after()]
  const html = (from: number, to: number) => {
    const { content } = doc.cut(from, to)
    return from < to && content.size > 0 ? getHTMLFromFragment(content, schema) : ''
  }
  return {
    text: $from.parent.textContent,
    element: view.dom,
    at() {
      const { top, bottom, left, right } = view.coordsAtPos(Math.min(start + 1, view.state.doc.content.size))
      return new DOMRect(left, top, right - left, bottom - top)
    },
    around: () => ({ before: html(0, start), after: html(end, doc.content.size) }),
  }
}

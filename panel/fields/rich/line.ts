import { type Editor, getHTMLFromFragment } from '@tiptap/core'

/** The paragraph with the caret at its end. */
export interface Line {
  text: string
  /** The editor element that contains it. */
  element: HTMLElement
  /** Its position in the viewport. */
  rect: () => DOMRect
  /** The HTML before and after it. */
  around: () => { before: string; after: string }
}

/** Undefined if the caret is elsewhere: in the middle of a paragraph, in a list, or if text is selected. */
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
    rect() {
      const { top, bottom, left, right } = view.coordsAtPos(Math.min(start + 1, view.state.doc.content.size))
      return new DOMRect(left, top, right - left, bottom - top)
    },
    around: () => ({ before: html(0, start), after: html(end, doc.content.size) }),
  }
}

import type { Editor } from '@tiptap/core'
import { Selection, TextSelection } from '@tiptap/pm/state'
import type { EditorView } from '@tiptap/pm/view'
import { Placeholder } from '@tiptap/extensions/placeholder'
import { lazy, Suspense, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { t } from '../../texts/texts.ts'
import { cx } from '../../ui/cx.ts'
import { toast } from '../../ui/toast.ts'
import { isOwn, isSourceCode, markdownIn, pastedImages, readClipboard, readMarkdown } from '../paste/clipboard.ts'
import type { Pasted } from '../paste/pasted.ts'
import { readHtml } from '../paste/read-html.ts'
import { toHtml, toInlineHtml, toListHtml } from '../paste/to-html.ts'
import {
  htmlAround,
  type PrefixedParagraph,
  prefixedParagraphAt,
  type SurroundingHtml,
  unwrapParagraph,
} from './surrounding-html.ts'
import { type Line, lineOf } from './line.ts'
import { LinkHint } from './link-hint.tsx'
import { extensionsFor, type EditorFeatures } from './marks.ts'
import { Tools } from './tools.tsx'
import { useEditor } from './use-editor.ts'

const Linking = lazy(async () => ({ default: (await import('./linking.tsx')).Linking }))

const pastes = new Set(['paste', 'cut', 'drop'])
const scrollMargins = { top: 60, bottom: 90, left: 0, right: 0 }

/** Position of the caret when the editor gets the focus. */
export type CaretPosition = 'start' | 'end' | { x: number; y: number } | CaretRange

/** Positions in the document of the editor. */
export interface CaretRange {
  anchor: number
  head: number
}

/** How a text has changed. */
export type TextChange = 'typed' | 'pasted'

export interface EditorEvents {
  /** An arrow key moves the caret out of the text. */
  onLeave?: ((to: 'before' | 'after', isVertical: boolean) => void) | undefined
  /** Escape. */
  onEscape?: (() => void) | undefined
  /** Ctrl A while the whole text is selected. */
  onSelectAll?: (() => void) | undefined
  /** The selection is extended beyond the start (-1) or the end (1) of the text. */
  onExtend?: ((step: number) => void) | undefined
  /** Any paste, before the others. Returns true if the caller has handled it. */
  onBlocks?: ((data: DataTransfer, around: () => SurroundingHtml) => boolean) | undefined
  /** Backspace in an empty text. */
  onErase?: (() => void) | undefined
  /** Backspace at the start of the text. Returns true if the caller has handled it. */
  onJoin?: (() => boolean) | undefined
  /** Delete at the end of the text. Returns true if the caller has handled it. */
  onJoinNext?: (() => boolean) | undefined
  /** Enter in a paragraph that is not part of a list or quotation. Returns true if the caller has split the text. */
  onSplit?: ((around: SurroundingHtml) => boolean) | undefined
  /** A paragraph begins with `# `, `- ` and so on. Returns true if the caller has made something of it. */
  onPrefix?: ((paragraph: PrefixedParagraph) => boolean) | undefined
  /** Enter in an empty list item. `around` has the HTML before and after it. */
  onLeaveList?: ((around: SurroundingHtml) => void) | undefined
  /** The text or the selection has changed. Called with the paragraph if the caret is at its end. */
  onLine?: ((line: Line | undefined) => void) | undefined
  /** Returns true for a key that the editor must ignore. */
  onKey?: ((event: KeyboardEvent) => boolean) | undefined
  /** Formatted content is pasted. Returns true if the caller has handled it. */
  onPaste?: ((pasted: readonly Pasted[], around: () => SurroundingHtml) => boolean) | undefined
  /** Images are pasted. Without this callback the editor refuses them. */
  onImages?: ((files: readonly File[], around: () => SurroundingHtml) => void) | undefined
}

interface Props extends EditorEvents {
  value: string
  onChange: (html: string, textChange: TextChange) => void
  /** The caret has moved. With this callback the caller is responsible for undo and redo. */
  onCaret?: ((range: CaretRange, isTyped: boolean) => void) | undefined
  offer: EditorFeatures
  disabled?: boolean | undefined
  placeholder?: string | undefined
  /** Focuses the editor when it is mounted, and again for another range. */
  focus?: CaretPosition | undefined
  /** Above the text, or at the selection: over it, or floating below it where the text has no room for a toolbar. */
  toolbar: 'top' | 'over' | 'floating'
  attributes: Readonly<Record<string, string | undefined>>
  className?: string | undefined
}

/** The browser moves the caret, and the editor learns of it a moment later: a quick second key must not see the old one. */
function caretIn(view: EditorView): number {
  const { focusNode, focusOffset } = getSelection() ?? {}
  if (!focusNode || focusOffset === undefined || !view.dom.contains(focusNode)) return view.state.selection.head
  return view.posAtDOM(focusNode, focusOffset)
}

/** A rich text editor with HTML as its value. Elements that the text already contains are preserved. */
export function RichEditor(props: Props) {
  const { value, offer, disabled = false, placeholder, focus, toolbar, attributes, className } = props
  const lastValue = useRef(value)
  const latest = useRef(props)
  useLayoutEffect(() => {
    latest.current = props
  })
  const [linking, setLinking] = useState<'link' | 'email'>()
  const [isReached, setReached] = useState(false)
  const latestEditor = useRef<Editor>(undefined)
  /** Shift with V pastes as plain text. */
  const isPlainPaste = useRef(false)

  const leaveTools = useCallback((isEscape: boolean) => {
    setReached(false)
    if (isEscape) latestEditor.current?.view.focus()
  }, [])
  const edit = useCallback(() => setLinking(latest.current.offer.marks.includes('link') ? 'link' : 'email'), [])

  const { editor, place } = useEditor({
    extensions: [
      ...extensionsFor(offer, value, { undo: !props.onCaret }),
      ...(placeholder === undefined ? [] : [Placeholder.configure({ placeholder })]),
    ],
    content: value,
    editable: !disabled,
    injectCSS: false,
    editorProps: {
      attributes: Object.fromEntries(
        Object.entries({ role: 'textbox', 'aria-multiline': 'true', dir: 'auto', class: 'rich outline-none', ...attributes })
          .filter((entry): entry is [string, string] => entry[1] !== undefined), // prettier-ignore
      ),
      // The bars at the top and at the bottom cover part of the viewport.
      scrollThreshold: scrollMargins,
      scrollMargin: scrollMargins,
      transformPastedHTML: html => (isOwn(html) ? html : rendered(readHtml(html), latest.current.offer)),
      // Before the rules of the editor, which would format the paragraph.
      handleTextInput: (view, _from, _to, typed) => {
        const { onPrefix } = latest.current
        const paragraph = onPrefix && prefixedParagraphAt(view.state, typed)
        return paragraph !== undefined && onPrefix!(paragraph)
      },
      handlePaste: (view, event) => {
        const data = event.clipboardData
        const isPlain = isPlainPaste.current
        isPlainPaste.current = false
        if (!data || isPlain) return false
        const { onPaste, onImages, onBlocks } = latest.current
        const around = () => {
          const { from, to } = view.state.selection
          return htmlAround(view.state, from, to, latest.current.offer)
        }
        if (onBlocks?.(data, around)) return true
        const images = pastedImages(data)
        if (images.length > 0) {
          if (onImages) onImages(images, around)
          else showNoImagesToast()
          return true
        }
        const markdown = markdownIn(data)
        if (markdown !== undefined) {
          void readMarkdown(markdown).then(pasted => {
            if (view.isDestroyed || latest.current.onPaste?.(pasted, around)) return
            view.pasteHTML(rendered(pasted, latest.current.offer))
          })
          return true
        }
        if (isSourceCode(data)) return view.pasteText(data.getData('text/plain'))
        const pasted = readClipboard(data)
        if (pasted === undefined) return false
        if (onPaste?.(pasted, around)) return true
        if (pasted.some(({ kind }) => kind === 'image')) showNoImagesToast()
        return false
      },
      handleDrop: (_view, event) => {
        if (!event.dataTransfer?.types.includes('Files')) return false
        // Not handled here: the surrounding blocks field adds dropped images.
        if (!latest.current.onImages) showNoImagesToast()
        return true
      },
      handleKeyDown: (view, event) => {
        if (event.isComposing) return false
        if (event.key.toLowerCase() === 'v') isPlainPaste.current = event.shiftKey
        const { offer: current, onLeave, onErase, onJoin, onJoinNext, onSplit, onKey } = latest.current
        if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k' && current.marks.includes('link')) {
          event.stopPropagation()
          setLinking('link')
          return true
        }
        if (event.altKey && event.key === 'F10') {
          setReached(true)
          return true
        }
        if (extendsBeyond(view.state, event, latest.current)) {
          event.stopPropagation()
          return true
        }
        if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return false
        if (onKey?.(event)) {
          event.stopPropagation()
          return true
        }
        if (event.key === 'Escape' && latest.current.onEscape) {
          event.stopPropagation()
          latest.current.onEscape()
          return true
        }
        const { selection, doc } = view.state
        if (event.key === 'Enter' && current.list && isEmptyItem(selection)) {
          leaveList(view, latest.current)
          return true
        }
        if (
          event.key === 'Enter' &&
          onSplit &&
          selection.$from.depth === 1 &&
          selection.$from.parent.type.name === 'paragraph'
        ) {
          if (onSplit(htmlAround(view.state, selection.from, selection.to, current))) return true
        }
        if (event.key === 'Backspace' && onErase && doc.textContent === '' && doc.childCount < 2) {
          onErase()
          return true
        }
        if (event.key === 'Backspace' && selection.empty && caretIn(view) <= Selection.atStart(doc).from && onJoin?.())
          return true
        if (event.key === 'Delete' && selection.empty && caretIn(view) >= Selection.atEnd(doc).to && onJoinNext?.())
          return true
        if (!selection.empty || !onLeave) return false
        const back = event.key === 'ArrowUp' || event.key === 'ArrowLeft'
        const forth = event.key === 'ArrowDown' || event.key === 'ArrowRight'
        const upDown = event.key === 'ArrowUp' || event.key === 'ArrowDown'
        const caret = caretIn(view)
        const isLine = upDown && caret === selection.head
        const first = caret <= 1 || (isLine && selection.$from.index(0) === 0 && view.endOfTextblock('up'))
        const last =
          caret >= doc.content.size - 1 ||
          (isLine && selection.$to.index(0) === doc.childCount - 1 && view.endOfTextblock('down'))
        if (back && first) onLeave('before', upDown)
        else if (forth && last) onLeave('after', upDown)
        else return false
        return true
      },
    },
    onUpdate: ({ editor: current, transaction }) => {
      const html = htmlOf(current, latest.current.offer)
      lastValue.current = html
      latest.current.onChange(html, pastes.has(String(transaction.getMeta('uiEvent'))) ? 'pasted' : 'typed')
    },
    onTransaction: ({ editor: current, transaction }) => {
      const { anchor, head } = current.state.selection
      if (!transaction.getMeta('preventUpdate')) latest.current.onCaret?.({ anchor, head }, transaction.docChanged)
      latest.current.onLine?.(lineOf(current))
    },
    onBlur: () => latest.current.onLine?.(undefined),
  })

  useLayoutEffect(() => {
    latestEditor.current = editor
  })

  // The value changed from outside: discarded, restored or merged.
  useEffect(() => {
    if (value === lastValue.current) return
    lastValue.current = value
    editor.commands.setContent(value, { emitUpdate: false })
  }, [editor, value])

  useEffect(() => {
    editor.setEditable(!disabled, false)
  }, [editor, disabled])

  // After the value, which may be another one, too. Except for undo, the user controls the caret after the mount.
  const range = typeof focus === 'object' && 'head' in focus ? focus : undefined
  useEffect(() => {
    if (focus !== undefined) enter(editor, focus)
  }, [editor, range])

  return (
    <div className={cx('relative', className)}>
      {!disabled && (
        <Tools
          editor={editor}
          offer={offer}
          place={toolbar}
          onLink={setLinking}
          reached={isReached}
          onLeave={leaveTools}
        />
      )}
      <div ref={place} />
      {!disabled && <LinkHint editor={editor} onEdit={edit} />}
      {linking && (
        <Suspense>
          <Linking editor={editor} kind={linking} onClose={() => setLinking(undefined)} />
        </Suspense>
      )}
    </div>
  )
}

function enter(editor: Editor, place: CaretPosition) {
  const { view } = editor
  if (typeof place === 'string') editor.commands.focus(place)
  else if ('head' in place) {
    select(view, place.anchor, place.head)
    editor.commands.scrollIntoView()
  } else {
    select(view, view.posAtCoords({ left: place.x, top: place.y })?.pos)
    editor.commands.focus()
  }
  // The `focus` command waits for an animation frame; a key pressed before that would be lost.
  view.focus()
}

/**
 * Positions may be outside of paragraphs: coordinates in the margin between two are, where Backspace would select the
 * whole paragraph above. The caret goes to the end of that one then, or into the nearest text.
 */
function select(view: EditorView, anchor = Infinity, head = anchor) {
  const { doc, tr } = view.state
  const resolve = (pos: number) => doc.resolve(Math.min(pos, doc.content.size))
  const [$anchor, $head] = [resolve(anchor), resolve(head)]
  view.dispatch(
    tr.setSelection(
      // Between two horizontal rules, this is a gap cursor.
      view.someProp('createSelectionBetween', create => create(view, $anchor, $head)) ??
        TextSelection.between($anchor, $head, $head.nodeBefore?.isTextblock ? -1 : 1),
    ),
  )
}

function htmlOf(editor: Editor, offer: EditorFeatures): string {
  if (editor.isEmpty) return ''
  const html = editor.getHTML()
  return offer.inline ? unwrapParagraph(html) : html
}

const rendered = (pasted: readonly Pasted[], { list, inline }: EditorFeatures): string =>
  list ? toListHtml(pasted) : inline ? `<p>${toInlineHtml(pasted)}</p>` : toHtml(pasted)

/** Keys that select more than the text. */
function extendsBeyond({ selection, doc }: Editor['state'], event: KeyboardEvent, { onSelectAll, onExtend }: Props) {
  const { from, to, head } = selection
  const mod = event.metaKey || event.ctrlKey
  const end = doc.content.size - 1
  if (mod && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'a' && onSelectAll) {
    const isAll = doc.textContent === '' || (from <= 1 && to >= end)
    if (isAll) onSelectAll()
    return isAll
  }
  if (mod || event.altKey || !event.shiftKey || !onExtend) return false
  const step = event.key === 'ArrowUp' && head <= 1 ? -1 : event.key === 'ArrowDown' && head >= end ? 1 : 0
  if (step !== 0) onExtend(step)
  return step !== 0
}

/** An empty item of the outermost list. In nested lists, Enter moves the item one level up. */
const isEmptyItem = ({ empty, $from }: Selection) =>
  empty && $from.depth === 3 && $from.parent.content.size === 0 && $from.node(2).childCount === 1

/** Removes the empty item. If the caller does not continue after the list, the caret moves to the previous item. */
function leaveList(view: Editor['view'], { offer, onLeaveList }: Props) {
  const { state } = view
  const { $from } = state.selection
  const [start, end] = [$from.before(2), $from.after(2)]
  if (onLeaveList) onLeaveList(htmlAround(state, start, end, offer))
  else if (state.doc.firstChild!.childCount > 1 || state.doc.childCount > 1) {
    const isOnly = $from.node(1).childCount === 1
    const removed = state.tr.delete(isOnly ? $from.before(1) : start, isOnly ? $from.after(1) : end)
    view.dispatch(
      removed.setSelection(Selection.near(removed.doc.resolve(Math.min(start, removed.doc.content.size)), -1)),
    )
  }
}

const showNoImagesToast = () => toast({ title: t('fields.paste.noPictures') })

import type { Editor } from '@tiptap/core'
import {
  Bold, Code, Heading1, Heading2, Heading3, Heading4, Heading5, Heading6, Italic, Link, List, ListOrdered, Mail, Minus, Quote,
  SquareCode, Strikethrough, Subscript, Superscript, Underline,
} from 'lucide-react' // prettier-ignore
import { memo } from 'react'
import { t } from '../../texts/texts.ts'
import { cx } from '../../ui/cx.ts'
import { Floating } from '../../ui/floating.tsx'
import type { EditorFeatures } from './marks.ts'
import { type Tool, Toolbar } from './toolbar.tsx'
import { useEditorState } from './use-editor.ts'

interface Props {
  editor: Editor
  offer: EditorFeatures
  place: 'top' | 'over' | 'floating'
  onLink: (kind: 'link' | 'email') => void
  /** The toolbar has to get the focus, also without selected text. */
  reached: boolean
  onLeave: (isEscape: boolean) => void
}

const headingIcons = [Heading1, Heading2, Heading3, Heading4, Heading5, Heading6]
const onToolbar = 3
const toggled = [
  'bold', 'italic', 'underline', 'strike', 'code', 'link', 'sup', 'sub', 'bulletList', 'orderedList', 'blockquote', 'codeBlock',
] // prettier-ignore

/** Renders again only when the state of a button changes, not with every keystroke. */
export const Tools = memo(function Tools({ editor, offer, place, onLink, reached, onLeave }: Props) {
  const on = useEditorState(editor, current => ({
    names: current.isFocused || reached ? toggled.filter(name => current.isActive(name)).join(' ') : '',
    level:
      (current.isFocused || reached) && current.isActive('heading')
        ? Number(current.getAttributes('heading')['level'])
        : 0,
    focused: current.isFocused,
    ...(place !== 'top' && chosenAt(current, reached)),
  }))
  if (place !== 'top' && on.top === undefined) return null
  const names = on.names.split(' ')

  const run = () => editor.chain().focus()
  const marks: Record<string, Tool | undefined> = {
    bold: { name: 'bold', text: t('fields.bold'), icon: Bold, onSelect: () => run().toggleBold().run() },
    italic: { name: 'italic', text: t('fields.italic'), icon: Italic, onSelect: () => run().toggleItalic().run() },
    underline: { name: 'underline', text: t('fields.underline'), icon: Underline, onSelect: () => run().toggleUnderline().run() },
    strike: { name: 'strike', text: t('fields.strike'), icon: Strikethrough, onSelect: () => run().toggleStrike().run() },
    code: { name: 'code', text: t('fields.code'), icon: Code, onSelect: () => run().toggleCode().run() },
    sup: { name: 'sup', text: t('fields.sup'), icon: Superscript, onSelect: () => run().unsetMark('sub').toggleMark('sup').run() },
    sub: { name: 'sub', text: t('fields.sub'), icon: Subscript, onSelect: () => run().unsetMark('sup').toggleMark('sub').run() },
    link: { name: 'link', text: t('fields.link'), icon: Link, onSelect: () => onLink('link') },
    email: { name: 'email', text: t('fields.email'), icon: Mail, onSelect: () => onLink('email') },
  } // prettier-ignore
  const nodes: Record<string, Tool | undefined> = {
    bulletList: { name: 'bulletList', text: t('fields.bulletList'), icon: List, onSelect: () => run().toggleBulletList().run() },
    orderedList: { name: 'orderedList', text: t('fields.orderedList'), icon: ListOrdered, onSelect: () => run().toggleOrderedList().run() },
    quote: { name: 'blockquote', text: t('fields.quote'), icon: Quote, onSelect: () => run().toggleBlockquote().run() },
    codeBlock: { name: 'codeBlock', text: t('fields.codeBlock'), icon: SquareCode, onSelect: () => run().toggleCodeBlock().run() },
    horizontalRule: { name: 'horizontalRule', text: t('fields.horizontalRule'), icon: Minus, onSelect: () => run().setHorizontalRule().run() },
  } // prettier-ignore

  const headings = offer.nodes.includes('heading') ? offer.headings.slice(0, onToolbar) : []
  const tools: Tool[] = [
    ...headings.map(level => ({
      name: `heading${level}`,
      text: t('fields.headingLevel', { level }),
      icon: headingIcons[level - 1]!,
      isPressed: on.level === level,
      onSelect: () =>
        run()
          .toggleHeading({ level: level as 1 })
          .run(),
    })),
    ...offer.nodes
      .flatMap(name => nodes[name] ?? [])
      .map(tool => ({ ...tool, isPressed: tool.name === 'horizontalRule' ? undefined : names.includes(tool.name) })),
    ...offer.marks
      .flatMap(name => marks[name] ?? [])
      .map((tool, index) => ({
        ...tool,
        isPressed: tool.name === 'email' ? undefined : names.includes(tool.name),
        hasSeparator: index === 0 && offer.nodes.length > 0,
      })),
  ]
  if (tools.length === 0) return null
  const bar = { label: t('fields.format'), tools, focused: reached, onLeave }

  if (place === 'top') {
    // Sticky only while the text has the focus; otherwise the toolbar would cover other content.
    const isStuck = on.focused && 'sticky top-(--below-bar,0px) z-10'
    return <Toolbar {...bar} className={cx('rounded-t-md bg-surface', isStuck)} />
  }
  if (place === 'floating') {
    const { view, state } = editor
    const selectionRect = () => {
      // Ctrl A selects the document from its edges, which have no height.
      const { from, to } = state.selection
      const [start, end] = [view.coordsAtPos(Math.max(1, from), 1), view.coordsAtPos(Math.max(1, Math.min(to, state.doc.content.size - 1)), -1)] // prettier-ignore
      return new DOMRect(start.left, start.top, start.right - start.left, end.bottom - start.top)
    }
    return (
      <Floating anchorRect={selectionRect} near={view.dom}>
        <Toolbar {...bar} className="border-b-0!" />
      </Floating>
    )
  }
  const room = tools.length * buttonWidth + frameWidth
  const left = Math.max(0, Math.min(on.left ?? 0, (on.width ?? 0) - room))
  return (
    <div className="absolute z-20 max-w-full -translate-y-full pb-1.5" style={{ top: on.top, left }}>
      <Toolbar {...bar} className="popup border-b!" />
    </div>
  )
})

/** Widths of a button and of the frame, in pixels. */
const buttonWidth = 30
const frameWidth = 20

/** Position of the start of the selection, relative to the editor; undefined without a selection. */
function chosenAt(
  { isFocused, view, state: { selection } }: Editor,
  isReached: boolean,
): Partial<Record<'top' | 'left' | 'width', number | undefined>> {
  if (!isReached && (!isFocused || selection.empty)) return { top: undefined, left: undefined, width: undefined }
  const frame = view.dom.getBoundingClientRect()
  // Ctrl A selects the document from its edge, which is at the left in every language.
  const { top, left } = view.coordsAtPos(Math.max(1, selection.from), 1)
  return {
    top: Math.round(top - frame.top),
    left: Math.round(left - frame.left),
    width: Math.round(frame.width),
  }
}

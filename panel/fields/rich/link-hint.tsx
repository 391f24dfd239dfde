import type { Editor } from '@tiptap/core'
import { Pencil, Unlink } from 'lucide-react'
import { memo } from 'react'
import { t } from '../../texts/texts.ts'
import { Floating } from '../../ui/floating.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { LinkTarget } from '../link/link-target.tsx'
import { useEditorState } from './use-editor.ts'

interface Props {
  editor: Editor
  onEdit: () => void
}

/** Shows the target of the link at the caret. Keyboard users reach the same actions in the link dialog. */
export const LinkHint = memo(function LinkHint({ editor, onEdit }: Props) {
  const { href } = useEditorState(editor, current => ({ href: linkIn(current) }))
  if (href === '') return null
  const { view } = editor

  function linkRect(): DOMRect {
    const { top, bottom, left, right } = view.coordsAtPos(view.state.selection.from)
    return new DOMRect(left, top, right - left, bottom - top)
  }

  return (
    <Floating anchorRect={linkRect} near={view.dom} className="flex items-center gap-0.5 py-1 ps-3 pe-1 text-sm">
      <span className="me-1 flex max-w-64 min-w-0">
        <LinkTarget link={href} />
      </span>
      <IconButton size="small" tabIndex={-1} icon={Pencil} label={t('fields.link')} onClick={onEdit} />
      <IconButton
        size="small"
        tabIndex={-1}
        icon={Unlink}
        label={t('fields.unlink')}
        onClick={() => editor.chain().focus().unsetMark('link', { extendEmptyMarkRange: true }).run()}
      />
    </Floating>
  )
})

function linkIn(editor: Editor): string {
  if (!editor.isFocused || !editor.state.selection.empty || !editor.schema.marks['link']) return ''
  const { href } = editor.getAttributes('link') as { href?: string | null }
  return href ?? ''
}

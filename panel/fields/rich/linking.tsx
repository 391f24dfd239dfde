import type { Editor } from '@tiptap/core'
import { LinkDialog } from '../link/link-dialog.tsx'

interface Props {
  editor: Editor
  kind: 'link' | 'email'
  onClose: () => void
}

/** The link dialog for the selected text. */
export function Linking({ editor, kind, onClose }: Props) {
  const { href = '', target } = editor.getAttributes('link') as { href?: string; target?: string | null }
  const chain = () => editor.chain().focus().extendMarkRange('link')

  return (
    <LinkDialog
      kind={kind}
      link={{ href, opensInNewTab: target === '_blank' }}
      onSet={(link, text) => {
        const attrs = { href: link.href, target: link.opensInNewTab ? '_blank' : null }
        if (editor.state.selection.empty && href === '')
          chain()
            .insertContent({ type: 'text', text, marks: [{ type: 'link', attrs }] })
            .run()
        else chain().setMark('link', attrs).run()
        onClose()
      }}
      onRemove={() => {
        chain().unsetMark('link').run()
        onClose()
      }}
      onClose={() => {
        onClose()
        requestAnimationFrame(() => editor.commands.focus())
      }}
    />
  )
}

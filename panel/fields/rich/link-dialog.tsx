import type { Editor } from '@tiptap/core'
import { Unlink } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'

interface Props {
  editor: Editor
  kind: 'link' | 'email'
  onClose: () => void
}

/** Where the chosen words lead. */
export function LinkDialog({ editor, kind, onClose }: Props) {
  const before = editor.getAttributes('link') as { href?: string; target?: string | null }
  const href = before.href ?? ''
  const [address, setAddress] = useState(kind === 'email' ? href.replace(/^mailto:/, '') : href)
  const [apart, setApart] = useState(before.target === '_blank')

  function close() {
    onClose()
    requestAnimationFrame(() => editor.commands.focus())
  }

  function set(next: string) {
    const chain = editor.chain().focus().extendMarkRange('link')
    if (next === '') chain.unsetLink().run()
    else {
      const link = { href: next, target: apart ? '_blank' : null }
      // Without chosen words the address itself is the text.
      if (editor.state.selection.empty && href === '')
        chain
          .insertContent({ type: 'text', text: next.replace(/^mailto:/, ''), marks: [{ type: 'link', attrs: link }] })
          .run()
      else chain.setLink(link).run()
    }
    onClose()
  }

  return (
    <Dialog
      open
      size="small"
      title={t(kind === 'email' ? 'fields.email' : 'fields.link')}
      onClose={close}
      onSubmit={() => set(completed(address.trim(), kind))}
      footer={
        <>
          {href !== '' && (
            <Button className="me-auto" icon={Unlink} variant="plain" onClick={() => set('')}>
              {t('fields.unlink')}
            </Button>
          )}
          <Button onClick={close}>{t('fields.cancel')}</Button>
          <Button variant="primary" type="submit">
            {t('fields.apply')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label={t(kind === 'email' ? 'fields.email.address' : 'fields.link.address')}>
          <Input
            ref={chooseAll}
            value={address}
            onChange={setAddress}
            type={kind === 'email' ? 'email' : 'text'}
            dir="ltr"
            placeholder={kind === 'email' ? 'mail@example.com' : 'https://example.com'}
          />
        </Field>
        {kind === 'link' && <Checkbox label={t('fields.link.apart')} value={apart} onChange={setApart} />}
      </div>
    </Dialog>
  )
}

/** What is there is replaced by typing. */
const chooseAll = (input: HTMLInputElement | null) => input?.select()

/** `example.com` means a web address, and nothing that would act is one. */
function completed(address: string, kind: 'link' | 'email'): string {
  if (address === '') return ''
  if (kind === 'email') return `mailto:${address}`
  if (/^(?:https?:|ftp:|mailto:|tel:|page:|file:|#|\/(?!\/))/i.test(address)) return address
  if (/^[a-z][a-z\d+.-]*:/i.test(address) && !/^[\w.-]+:\d/.test(address)) return ''
  return /^[\w-]+(?:\.[\w-]+)+/.test(address) ? `https://${address}` : address
}

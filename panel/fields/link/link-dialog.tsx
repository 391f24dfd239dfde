import { Unlink } from 'lucide-react'
import { useRef, useState } from 'react'
import { t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { completeLink, kindOf, type LinkKind } from './kinds.ts'
import { LinkInput } from './link-input.tsx'

export interface LinkValue {
  href: string
  /** Opens in a new window; undefined where that cannot be set. */
  opensInNewTab: boolean | undefined
}

interface Props {
  kind: 'link' | 'email'
  link: LinkValue
  /** `text` is the text of the link if none is selected: the title of the page, or the URL. */
  onSet: (link: LinkValue, text: string) => void
  onRemove: () => void
  onClose: () => void
}

const addresses: readonly LinkKind[] = ['email']

/** Edits the link of the selected text. */
export function LinkDialog({ kind, link, onSet, onRemove, onClose }: Props) {
  const [href, setHref] = useState(link.href)
  const [title, setTitle] = useState<string>()
  const [opensInNewTab, setOpensInNewTab] = useState(link.opensInNewTab)
  const control = useRef<HTMLElement>(null)
  const isAway = !['email', 'tel', 'anchor'].includes(kindOf(href) ?? '')

  function set() {
    const next = completeLink(href.trim())
    if (next === '') onRemove()
    else onSet({ href: next, opensInNewTab: isAway && opensInNewTab }, title ?? next.replace(/^(?:mailto|tel):/i, ''))
  }

  return (
    <Dialog
      open
      initialFocus={control}
      title={t(kind === 'email' ? 'fields.email' : 'fields.link')}
      onClose={onClose}
      onSubmit={set}
      footer={
        <>
          {link.href !== '' && (
            <Button className="me-auto" icon={Unlink} variant="plain" onClick={onRemove}>
              {t('fields.unlink')}
            </Button>
          )}
          <Button onClick={onClose}>{t('fields.cancel')}</Button>
          <Button variant="primary" type="submit">
            {t('fields.apply')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label={t(kind === 'email' ? 'fields.email.address' : 'fields.link.to')}>
          <LinkInput
            ref={control}
            value={href}
            onChange={(next, entry) => {
              setHref(next)
              setTitle(entry?.text)
            }}
            offered={kind === 'email' ? addresses : undefined}
          />
        </Field>
        {link.opensInNewTab !== undefined && kind === 'link' && isAway && (
          <Checkbox label={t('fields.link.newTab')} value={opensInNewTab ?? false} onChange={setOpensInNewTab} />
        )}
      </div>
    </Dialog>
  )
}

import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Notice } from '../ui/notice.tsx'
import { CopyButton } from './copy.tsx'

interface Props {
  title: string
  /** The note that it must be copied now. */
  notice: string
  label: string
  secret: string
  onClose: () => void
}

/** A secret that the server shows only once: an API token, or the secret of a webhook. */
export function ShownOnceDialog({ title, notice, label, secret, onClose }: Props) {
  return (
    <Dialog
      open
      disablePointerDismissal
      title={title}
      onClose={onClose}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('action.done')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Notice tone="warn">{notice}</Notice>
        <Field label={label}>
          <Input mono readOnly dir="ltr" value={secret} onChange={() => {}} action={<CopyButton text={secret} />} />
        </Field>
      </div>
    </Dialog>
  )
}

import type { ReactNode } from 'react'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { errorText } from './errors.ts'

interface Props {
  title: string
  description?: string | undefined
  size?: 'small' | undefined
  /** Label of the submit button. */
  confirm: string
  busy: boolean
  disabled?: boolean | undefined
  /** Shown above the fields. Errors of single fields are shown by the fields. */
  error?: unknown
  disablePointerDismissal?: boolean | undefined
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

/** A form in a dialog, with a button to submit it and one to cancel. */
export function SubmitDialog({ confirm, busy, disabled = false, error, onSubmit, children, ...dialog }: Props) {
  return (
    <Dialog
      {...dialog}
      open
      onSubmit={() => {
        if (!disabled && !busy) onSubmit()
      }}
      footer={
        <>
          <Button onClick={dialog.onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="primary" busy={busy} disabled={disabled}>
            {confirm}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error !== undefined && error !== null && (
          <Notice tone="danger" live>
            {errorText(error)}
          </Notice>
        )}
        {children}
      </div>
    </Dialog>
  )
}

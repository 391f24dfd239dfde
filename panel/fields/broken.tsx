import { useState } from 'react'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { isMap } from './field.ts'

/** What the API returns in place of a stored value that cannot be read. */
interface BrokenValue {
  $broken: string
  length: number
  text: string
}

export const isBroken = (value: unknown): value is BrokenValue => isMap(value) && typeof value['$broken'] === 'string'

/** The value that deliberately overwrites a broken value. */
export const isOverwriting = (value: unknown): value is { $overwrite: unknown } =>
  isMap(value) && Object.hasOwn(value, '$overwrite')

interface Props {
  value: BrokenValue
  onReplace: () => void
  disabled: boolean
}

/** Shows a broken value. It is preserved when other fields are saved, and lost only if the user replaces it. */
export function Broken({ value, onReplace, disabled }: Props) {
  const [isAsking, setAsking] = useState(false)

  return (
    <>
      <Notice
        tone="warn"
        title={t('fields.broken')}
        action={
          !disabled && (
            <Button size="small" onClick={() => setAsking(true)}>
              {t('fields.broken.replace')}
            </Button>
          )
        }
      >
        <p>{t(value.$broken === 'tooLarge' ? 'fields.broken.tooLarge' : 'fields.broken.unreadable')}</p>
        <pre dir="auto" className="mt-1 max-h-24 overflow-auto text-sm whitespace-pre-wrap text-muted">
          {value.text}
          {value.length > value.text.length && '…'}
        </pre>
      </Notice>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false)
          onReplace()
        }}
        title={t('fields.broken.sure')}
        confirm={t('fields.broken.replace')}
        danger
      >
        {t('fields.broken.lost', { count: value.length })}
      </ConfirmDialog>
    </>
  )
}

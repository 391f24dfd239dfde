import { useState } from 'react'
import { client } from '../app/client.ts'
import { FormDialog } from '../pages/dialogs/form-dialog.tsx'
import { t } from '../texts/texts.ts'
import { Field } from '../ui/field.tsx'
import { Textarea } from '../ui/textarea.tsx'
import { toast } from '../ui/toast.ts'

interface Props {
  id: string
  language: string | undefined
  onDone: () => void
  onClose: () => void
}

/** Sends the draft back to its author, with a note. */
export function SendBackDialog({ id, language, onDone, onClose }: Props) {
  const [note, setNote] = useState('')
  return (
    <FormDialog
      title={t('review.sendBack')}
      description={t('review.sendBack.text')}
      confirm={t('review.sendBack')}
      disabled={note.trim() === ''}
      onClose={onClose}
      run={() => client.pages.review.sendBack({ id, language }, { note })}
      onDone={() => {
        toast({ tone: 'good', title: t('review.sentBack') })
        onDone()
      }}
    >
      {errors => (
        <Field label={t('review.sendBack.note')} error={errors['note']}>
          <Textarea rows={4} maxRows={12} value={note} onChange={setNote} />
        </Field>
      )}
    </FormDialog>
  )
}

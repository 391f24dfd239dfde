import { useState } from 'react'
import { client } from '../app/client.ts'
import type { Draft } from '../editor/draft-state.ts'
import { FormDialog } from '../pages/dialogs/form-dialog.tsx'
import { t } from '../texts/texts.ts'
import { Field } from '../ui/field.tsx'
import { Textarea } from '../ui/textarea.tsx'
import { toast } from '../ui/toast.ts'

interface Props {
  id: string
  language: string | undefined
  draft: Draft
  onClose: () => void
}

/** Asks accounts that may publish for a review, with a note. Saves the last changes first. */
export function AskDialog({ id, language, draft, onClose }: Props) {
  const [note, setNote] = useState('')
  return (
    <FormDialog
      title={t('review.ask')}
      description={t('review.ask.text')}
      confirm={t('review.ask')}
      onClose={onClose}
      run={async () => client.pages.review.request({ id, language, ...(await draft.seen()) }, { note })}
      onDone={() => toast({ tone: 'good', title: t('review.asked') })}
    >
      {errors => (
        <Field label={t('review.note')} help={t('review.note.help')} error={errors['note']}>
          <Textarea rows={4} maxRows={12} value={note} onChange={setNote} />
        </Field>
      )}
    </FormDialog>
  )
}

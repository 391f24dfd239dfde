import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { SubmitDialog } from '../app/submit-dialog.tsx'
import { createId } from '../fields/id.ts'
import { t } from '../texts/texts.ts'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { type SavedView, viewPrefix } from './use-views.ts'

interface Props {
  /** The view to rename; without one, the current view is saved. */
  saved: SavedView | undefined
  onSave: (id: string, name: string) => Promise<void>
  onClose: () => void
}

export function ViewDialog({ saved, onSave, onClose }: Props) {
  const [name, setName] = useState(saved?.name ?? '')
  const { mutate, isPending, error } = useMutation({
    meta: { handlesError: true },
    mutationFn: () => onSave(saved?.id ?? viewPrefix + createId(), name.trim()),
    onSuccess: onClose,
  })
  return (
    <SubmitDialog
      size="small"
      title={t(saved ? 'views.rename.title' : 'views.save.title')}
      description={saved ? undefined : t('views.save.text')}
      confirm={t('action.save')}
      busy={isPending}
      disabled={name.trim() === ''}
      error={error}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Field label={t('views.name')} required>
        <Input value={name} onChange={setName} maxLength={80} />
      </Field>
    </SubmitDialog>
  )
}

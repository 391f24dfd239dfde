import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { SubmitDialog } from '../app/submit-dialog.tsx'
import { t } from '../texts/texts.ts'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { toast } from '../ui/toast.ts'
import { refreshReleases, type Release } from './query.ts'

interface Props {
  /** Undefined for a new one. */
  release?: Release | undefined
  onClose: () => void
  onSaved?: (release: Release) => void
}

/** Creates or renames a release. */
export function ReleaseNameDialog({ release, onClose, onSaved }: Props) {
  const queryClient = useQueryClient()
  const [name, setName] = useState(release?.name ?? '')
  const save = useMutation({
    meta: { handlesError: true },
    mutationFn: () =>
      release
        ? client.site.releases.update({ release: release.id }, { name: name.trim() })
        : client.site.releases.create({}, { name: name.trim() }),
    onSuccess: async saved => {
      await refreshReleases(queryClient)
      if (!release) toast({ tone: 'good', title: t('releases.created') })
      onClose()
      onSaved?.(saved)
    },
  })
  return (
    <SubmitDialog
      size="small"
      title={t(release ? 'releases.rename' : 'releases.create')}
      confirm={t(release ? 'action.save' : 'releases.create')}
      busy={save.isPending}
      disabled={name.trim() === ''}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <Field label={t('releases.name')} required>
        <Input value={name} onChange={setName} maxLength={200} placeholder={t('releases.name.example')} autoFocus />
      </Field>
    </SubmitDialog>
  )
}

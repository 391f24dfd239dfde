import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { client } from '../../app/client.ts'
import { queryClient } from '../../app/query.ts'
import { can, useSession } from '../../app/session.ts'
import { SubmitDialog } from '../../app/submit-dialog.tsx'
import { openReleasesQuery, refreshReleases } from '../../releases/query.ts'
import { type ReleaseAction, ActionField, newRelease, ReleaseFields } from '../../releases/release-fields.tsx'
import { t } from '../../texts/texts.ts'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { Status } from '../page.ts'
import type { BulkFormProps } from './props.ts'
import type { BulkOperation } from './use-bulk-operation.ts'
import { statusesOf, useOnePagePerTemplate } from './one-page-per-template.ts'

export function BulkRelease({ title, pages, language, onClose, onStart }: BulkFormProps) {
  const { user } = useSession()
  const { data: releases, error } = useQuery({ ...openReleasesQuery, staleTime: 0 })
  const [selected, setSelected] = useState<string>()
  const chosen = selected ?? releases?.[0]?.id ?? newRelease
  const [name, setName] = useState('')
  const [action, setAction] = useState<ReleaseAction>('publish')
  const offered = statusesOf(useOnePagePerTemplate(pages, language)).filter(({ value }) => value !== 'draft')
  const [drafts, setDrafts] = useState<Status | null>('listed')
  const hasDrafts = pages.some(({ status }) => status === 'draft')
  // The first page creates a new release, the others are added to it.
  const release = useRef<string>(undefined)

  const operation: BulkOperation = async ({ uuid, status }) => {
    const isPublished = action === 'publish' && status === 'draft' && offered.some(({ value }) => value === drafts)
    const add = [{ uuid, action, ...(isPublished && { status: drafts }) }]
    const id = chosen === newRelease ? release.current : chosen
    const saved = await (id === undefined
      ? client.site.releases.create({}, { name: name.trim(), add })
      : client.site.releases.update({ release: id }, { add }))
    release.current = saved.id
    void refreshReleases(queryClient)
    return { undo: () => client.site.releases.update({ release: saved.id }, { remove: [uuid] }) }
  }

  return (
    <SubmitDialog
      title={title}
      confirm={t('action.add')}
      busy={false}
      disabled={!releases || (chosen === newRelease && name.trim() === '')}
      error={error}
      onClose={onClose}
      onSubmit={() => onStart(operation)}
    >
      {releases ? (
        <ReleaseFields releases={releases} chosen={chosen} onChosen={setSelected} name={name} onName={setName} />
      ) : (
        !error && <Skeleton lines={2} />
      )}
      <ActionField value={action} onChange={setAction} canDelete={can(user, 'pages.delete')} />
      {action === 'publish' && hasDrafts && offered.length > 0 && can(user, 'pages.changeStatus') && (
        <Field label={t('releases.add.drafts')}>
          <Select<Status>
            empty
            placeholder={t('releases.add.status.same')}
            value={drafts}
            onChange={setDrafts}
            options={offered}
          />
        </Field>
      )}
    </SubmitDialog>
  )
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { SubmitDialog } from '../app/submit-dialog.tsx'
import { flushDrafts } from '../editor/open-drafts.ts'
import type { PageModel, Status } from '../pages/page.ts'
import { statusLabel } from '../pages/publish.ts'
import { t } from '../texts/texts.ts'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Select } from '../ui/select.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { toast } from '../ui/toast.ts'
import { openReleasesQuery, refreshReleases, type Release } from './query.ts'
import { type ReleaseAction, ActionField, newRelease, ReleaseFields } from './release-fields.tsx'

interface Props {
  /** A page, a file or the site. */
  uuid: string
  title: string
  /** Undefined for what cannot be deleted. */
  canDelete?: boolean | undefined
  /** Set for a page: the release may change its status. */
  page?: PageModel
  onClose: () => void
}

/** Adds the changes of a page, a file or the site, or a deletion, to a release. */
export function AddToReleaseDialog(props: Props) {
  const { data: releases, error } = useQuery({ ...openReleasesQuery, staleTime: 0 })
  if (releases) return <Form {...props} releases={releases} />
  return (
    <SubmitDialog
      title={t('releases.add.title', { title: props.title })}
      confirm={t('action.add')}
      busy={false}
      disabled
      error={error}
      onSubmit={() => {}}
      onClose={props.onClose}
    >
      {!error && <Skeleton lines={3} />}
    </SubmitDialog>
  )
}

const order: readonly Status[] = ['listed', 'unlisted', 'draft']

/** The statuses that a release can give to the page. */
const statusesFor = (page: PageModel | undefined): Status[] =>
  page?.options['changeStatus'] === true
    ? order.filter(status => page.blueprint.status?.[status] && status !== page.status)
    : []

function Form({ uuid, title, canDelete, page, releases, onClose }: Props & { releases: readonly Release[] }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  // Everything is in one release at most.
  const inside = releases.find(({ items }) => items.some(item => item.uuid === uuid))
  const item = inside?.items.find(candidate => candidate.uuid === uuid)
  const [chosen, setChosen] = useState(inside?.id ?? releases[0]?.id ?? newRelease)
  const [name, setName] = useState('')
  const [action, setAction] = useState<ReleaseAction>(item?.action ?? 'publish')
  const offered = statusesFor(page)
  const [status, setStatus] = useState(item ? item.status : page?.status === 'draft' ? (offered[0] ?? null) : null)
  const add = useMutation({
    meta: { handlesError: true },
    mutationFn: async () => {
      await flushDrafts()
      const items = [{ uuid, action, ...(action === 'publish' && { status }) }]
      return chosen === newRelease
        ? client.site.releases.create({}, { name: name.trim(), add: items })
        : client.site.releases.update({ release: chosen }, { add: items })
    },
    onSuccess: async ({ id, name: added }) => {
      toast({
        tone: 'good',
        title: t('releases.added', { name: added }),
        action: {
          text: t('releases.open'),
          onSelect: () => void navigate({ to: '/releases/$release', params: { release: id } }),
        },
      })
      onClose()
      await refreshReleases(queryClient)
    },
  })
  return (
    <SubmitDialog
      title={t('releases.add.title', { title })}
      confirm={t(inside ? 'action.save' : 'action.add')}
      busy={add.isPending}
      disabled={chosen === newRelease && name.trim() === ''}
      error={add.error}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      {inside ? (
        <Notice>{t('releases.add.inside', { name: inside.name })}</Notice>
      ) : (
        <ReleaseFields releases={releases} chosen={chosen} onChosen={setChosen} name={name} onName={setName} />
      )}
      {canDelete !== undefined && <ActionField value={action} onChange={setAction} canDelete={canDelete} />}
      {action === 'publish' && page && offered.length > 0 && (
        <Field label={t('releases.add.status')}>
          <Select<Status>
            empty
            placeholder={t('releases.add.status.same')}
            value={status}
            onChange={setStatus}
            options={offered.map(value => ({ value, text: statusLabel(page, value) }))}
          />
        </Field>
      )}
    </SubmitDialog>
  )
}

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
import { Input } from '../ui/input.tsx'
import { Notice } from '../ui/notice.tsx'
import { RadioGroup } from '../ui/radio-group.tsx'
import { Select } from '../ui/select.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { toast } from '../ui/toast.ts'
import { openReleasesQuery, refreshReleases, type Release } from './query.ts'

/** Stands for a release that is created with the page. */
const newRelease = 'new'
type Action = 'publish' | 'delete'

interface Props {
  page: PageModel
  onClose: () => void
}

/** Adds the changes of a page, or its deletion, to a release. */
export function AddToReleaseDialog({ page, onClose }: Props) {
  const { data: releases, error } = useQuery({ ...openReleasesQuery, staleTime: 0 })
  if (releases) return <Form page={page} releases={releases} onClose={onClose} />
  return (
    <SubmitDialog
      title={t('releases.add.title', { title: page.title })}
      confirm={t('action.add')}
      busy={false}
      disabled
      error={error}
      onSubmit={() => {}}
      onClose={onClose}
    >
      {!error && <Skeleton lines={3} />}
    </SubmitDialog>
  )
}

const order: readonly Status[] = ['listed', 'unlisted', 'draft']

function Form({ page, releases, onClose }: Props & { releases: readonly Release[] }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { uuid, title, options } = page
  // A page is in one release at most.
  const inside = releases.find(({ items }) => items.some(item => item.uuid === uuid))
  const item = inside?.items.find(one => one.uuid === uuid)
  const [chosen, setChosen] = useState(inside?.id ?? releases[0]?.id ?? newRelease)
  const [name, setName] = useState('')
  const [action, setAction] = useState<Action>(item?.action ?? 'publish')
  const isDraft = page.status === 'draft'
  const offered = order.filter(status => page.blueprint.status?.[status] && status !== page.status)
  const [status, setStatus] = useState<Status | null>(item?.status ?? (isDraft ? (offered[0] ?? null) : null))
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
      await refreshReleases(queries)
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
        releases.length > 0 && (
          <Field label={t('releases.add.to')}>
            <Select
              value={chosen}
              onChange={next => setChosen(next ?? newRelease)}
              options={[
                ...releases.map(release => ({ value: release.id, text: release.name })),
                { value: newRelease, text: t('releases.add.new') },
              ]}
            />
          </Field>
        )
      )}
      {chosen === newRelease && (
        <Field label={t('releases.name')} required>
          <Input value={name} onChange={setName} maxLength={200} placeholder={t('releases.name.example')} autoFocus />
        </Field>
      )}
      <Field group label={t('releases.add.what')}>
        <RadioGroup<Action>
          value={action}
          onChange={setAction}
          options={[
            { value: 'publish', text: t('releases.add.publish'), info: t('releases.add.publish.text') },
            {
              value: 'delete',
              text: t('releases.add.delete'),
              info: t('releases.add.delete.text'),
              disabled: options['delete'] !== true,
            },
          ]}
        />
      </Field>
      {action === 'publish' && options['changeStatus'] === true && offered.length > 0 && (
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

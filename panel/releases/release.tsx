import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { CalendarX, CircleCheck, Ellipsis, Eye, Pencil, Rocket, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { useContentLanguage } from '../app/language.ts'
import { can, useSession } from '../app/session.ts'
import { ErrorScreen } from '../app/shell/states.tsx'
import { formatDate, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { toast } from '../ui/toast.ts'
import { Item } from './item.tsx'
import { ReleaseNameDialog } from './name-dialog.tsx'
import { PreviewDialog } from './preview-dialog.tsx'
import { PublishDialog } from './publish-dialog.tsx'
import { refreshReleases, type Release, releaseQuery } from './query.ts'
import { StateBadge } from './state-badge.tsx'

export function ReleaseScreen() {
  const { release: id } = useParams({ from: '/releases/$release' })
  const { code } = useContentLanguage()
  const { data, error } = useQuery(releaseQuery(id, code))
  useTitleAndBreadcrumb(data?.name ?? t('nav.releases'), [
    { text: t('nav.releases'), render: <Link to="/releases" /> },
    { text: data?.name ?? '…' },
  ])
  if (error) return <ErrorScreen error={error} />
  return data ? <One release={data} language={code} /> : <Skeleton lines={6} className="h-9 w-full" />
}

function One({ release, language }: { release: Release; language: string | undefined }) {
  const { id, name, state, items } = release
  const { user, system } = useSession()
  const queryClient = useQueryClient()
  const [opened, setOpened] = useState<'publish' | 'preview' | 'rename' | 'delete'>()
  const close = () => setOpened(undefined)
  const isOpen = state !== 'published'
  const refresh = () => refreshReleases(queryClient)
  const check = useMutation({
    mutationFn: () => client.site.releases.publish({ release: id, language }, { check: true }),
    onSuccess: checked => {
      if (checked.state !== 'held') toast({ tone: 'good', title: t('releases.check.good') })
      return refresh()
    },
  })
  const unschedule = useMutation({
    mutationFn: () => client.site.releases.update({ release: id }, { at: null }),
    onSuccess: () => {
      toast({ tone: 'good', title: t('releases.schedule.removed') })
      return refresh()
    },
  })
  const remove = useMutation({
    mutationFn: (uuid: string) => client.site.releases.update({ release: id }, { remove: [uuid] }),
    onSuccess: () => {
      toast({ tone: 'good', title: t('releases.item.removed') })
      return refresh()
    },
  })
  return (
    <>
      <PageHeader
        title={name}
        badges={<StateBadge state={state} />}
        info={infoOf(release)}
        actions={
          <>
            {isOpen && system.siteUrl != null && can(user, 'pages.preview') && (
              <Button icon={Eye} onClick={() => setOpened('preview')}>
                {t('releases.preview')}
              </Button>
            )}
            {isOpen && items.length > 0 && (
              <Button icon={CircleCheck} busy={check.isPending} onClick={() => check.mutate()}>
                {t('releases.check')}
              </Button>
            )}
            <Menu
              align="end"
              trigger={<IconButton variant="quiet" icon={Ellipsis} label={t('releases.actions')} />}
              items={[
                isOpen && { text: t('releases.rename'), icon: Pencil, onSelect: () => setOpened('rename') },
                isOpen &&
                  release.at !== null && {
                    text: t('releases.schedule.remove'),
                    icon: CalendarX,
                    onSelect: () => unschedule.mutate(),
                  },
                { text: t('releases.delete.do'), icon: Trash2, danger: true, onSelect: () => setOpened('delete') },
              ]}
            />
            {isOpen && (
              <Button variant="primary" icon={Send} disabled={items.length === 0} onClick={() => setOpened('publish')}>
                {t('releases.publish')}
              </Button>
            )}
          </>
        }
      />
      <HeldNotice release={release} />
      <Card flush>
        {items.length === 0 ? (
          <EmptyState icon={Rocket} text={t('releases.empty')} />
        ) : (
          <ul aria-label={t('releases.contents')} className="divide-y">
            {items.map(item => (
              <li key={item.uuid}>
                <Item
                  item={item}
                  busy={remove.isPending && remove.variables === item.uuid}
                  onRemove={isOpen ? () => remove.mutate(item.uuid) : undefined}
                />
              </li>
            ))}
          </ul>
        )}
      </Card>
      {opened === 'publish' && <PublishDialog release={release} onClose={close} />}
      {opened === 'preview' && <PreviewDialog release={release} onClose={close} />}
      {opened === 'rename' && <ReleaseNameDialog release={release} onClose={close} />}
      {opened === 'delete' && <DeleteDialog release={release} onClose={close} />}
    </>
  )
}

function infoOf({ state, at, published, user }: Release): string | undefined {
  if (state === 'published' && published !== null) {
    const time = formatDate(published)
    return user?.username
      ? t('releases.published.by', { time, name: user.username })
      : t('releases.published.at', { time })
  }
  return at === null ? undefined : t('releases.scheduled.for', { time: formatDate(at) })
}

/** Names everything that holds the release. */
function HeldNotice({ release: { state, items, at } }: { release: Release }) {
  if (state !== 'held') return null
  const held = items.filter(({ problem }) => problem !== null)
  if (held.length === 0)
    return (
      <div className="mb-4">
        <Notice live tone="danger" title={t('releases.state.held')}>
          {t('releases.held.scheduled')}
        </Notice>
      </div>
    )
  return (
    <div className="mb-4">
      <Notice live tone="danger" title={t('releases.held.title', { count: held.length })}>
        <p>{t(at === null ? 'releases.held.text' : 'releases.held.scheduled')}</p>
        <ul className="mt-1 list-disc ps-5">
          {held.map(({ uuid, title, link, problem }) => (
            <li key={uuid}>
              {link === null ? title : <Link to={link}>{title}</Link>}: {problem?.message}
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  )
}

function DeleteDialog({ release, onClose }: { release: Release; onClose: () => void }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => client.site.releases.delete({ release: release.id }),
    onSuccess: async () => {
      toast({ tone: 'good', title: t('releases.deleted') })
      await navigate({ to: '/releases' })
      await refreshReleases(queryClient)
    },
    onError: onClose,
  })
  return (
    <ConfirmDialog
      open
      danger
      title={t('releases.delete')}
      confirm={t('releases.delete.do')}
      busy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      {t('releases.delete.text')}
    </ConfirmDialog>
  )
}

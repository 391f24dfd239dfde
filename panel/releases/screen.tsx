import { Link, useNavigate } from '@tanstack/react-router'
import { Plus, Rocket } from 'lucide-react'
import { useState } from 'react'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { useContentLanguage } from '../app/language.ts'
import { can, useSession } from '../app/session.ts'
import { Forbidden } from '../system/forbidden.tsx'
import { PaginatedList, usePaginated } from '../system/paginated-list.tsx'
import { formatRelativeTime, formatDate, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ListItem } from '../ui/list-item.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { ReleaseNameDialog } from './name-dialog.tsx'
import { type Release, releasesQuery } from './query.ts'
import { StateBadge } from './state-badge.tsx'

/** Changes of many pages that are published together. */
export function ReleasesScreen() {
  const { user } = useSession()
  useTitleAndBreadcrumb(t('nav.releases'), [{ text: t('nav.releases') }])
  return can(user, 'pages.update') ? <All /> : <Forbidden />
}

function All() {
  const { code } = useContentLanguage()
  const navigate = useNavigate()
  const [isCreating, setCreating] = useState(false)
  const found = usePaginated(releasesQuery(code))
  const create = (
    <Button variant="primary" icon={Plus} onClick={() => setCreating(true)}>
      {t('releases.create')}
    </Button>
  )
  const isEmpty = found.total === 0
  return (
    <>
      <PageHeader title={t('nav.releases')} info={t('releases.info')} actions={!isEmpty && create} />
      <Card flush>
        <PaginatedList query={found} empty={<EmptyState icon={Rocket} text={t('releases.none')} action={create} />}>
          {releases => (
            <ul aria-label={t('nav.releases')} className="divide-y">
              {releases.map(release => (
                <li key={release.id}>
                  <ListItem
                    title={release.name}
                    info={`${whenOf(release)} · ${t('releases.items', { count: release.items.length })}`}
                    icon={Rocket}
                    render={<Link to="/releases/$release" params={{ release: release.id }} />}
                    after={<StateBadge state={release.state} />}
                  />
                </li>
              ))}
            </ul>
          )}
        </PaginatedList>
      </Card>
      {isCreating && (
        <ReleaseNameDialog
          onClose={() => setCreating(false)}
          onSaved={({ id }) => void navigate({ to: '/releases/$release', params: { release: id } })}
        />
      )}
    </>
  )
}

function whenOf({ at, published, modified }: Release): string {
  if (published !== null) return t('releases.published.at', { time: formatDate(published) })
  return at === null
    ? t('releases.changed', { ago: formatRelativeTime(modified) })
    : t('releases.scheduled.for', { time: formatDate(at) })
}

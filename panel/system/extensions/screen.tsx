import { Link } from '@tanstack/react-router'
import { Blocks as Icon } from 'lucide-react'
import { useState } from 'react'
import { useTitleAndBreadcrumb } from '../../app/title.ts'
import { can, useSession } from '../../app/session.ts'
import { ErrorScreen } from '../../app/shell/states.tsx'
import { t } from '../../texts/texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ListItem } from '../../ui/list-item.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Forbidden } from '../forbidden.tsx'
import { ExtensionDrawer } from './drawer.tsx'
import { type Extension, useExtensions } from './query.ts'

/** The extensions of the site, and whether what they do in the background goes well. */
export function ExtensionsScreen() {
  const { user } = useSession()
  useTitleAndBreadcrumb(t('extensions.title'), [
    { text: t('nav.system'), render: <Link to="/system" /> },
    { text: t('extensions.title') },
  ])
  return can(user, 'access.system') ? <All /> : <Forbidden />
}

function All() {
  const { data: extensions, error, refetch } = useExtensions()
  const [opened, setOpened] = useState<string>()
  const openExtension = extensions?.find(({ name }) => name === opened)
  if (error) return <ErrorScreen error={error} reset={() => void refetch()} />
  return (
    <>
      <PageHeader title={t('extensions.title')} info={t('extensions.info')} />
      {!extensions ? (
        <Skeleton className="h-12 w-full" lines={3} />
      ) : extensions.length === 0 ? (
        <Card>
          <EmptyState icon={Icon} text={t('extensions.none')} />
        </Card>
      ) : (
        <Card flush>
          <ul aria-label={t('extensions.title')} className="divide-y">
            {extensions.map(extension => (
              <li key={extension.name}>
                <ListItem
                  icon={Icon}
                  title={<bdi>{extension.name}</bdi>}
                  info={partsOf(extension)}
                  render={<button type="button" onClick={() => setOpened(extension.name)} />}
                  after={<State extension={extension} />}
                />
              </li>
            ))}
          </ul>
        </Card>
      )}
      {openExtension && <ExtensionDrawer extension={openExtension} onClose={() => setOpened(undefined)} />}
    </>
  )
}

const partsOf = ({ on, jobs }: Extension) => [...on, ...jobs.map(({ name }) => name)].join(', ')

function State({ extension: { waiting, failed } }: { extension: Extension }) {
  return (
    <>
      {waiting > 0 && <Badge>{t('extensions.waiting', { count: waiting })}</Badge>}
      {failed > 0 && <Badge tone="danger">{t('extensions.failed', { count: failed })}</Badge>}
    </>
  )
}

import { Link } from '@tanstack/react-router'
import { Plus, Webhook as Icon } from 'lucide-react'
import { useState } from 'react'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { can, useSession } from '../app/session.ts'
import { ErrorScreen } from '../app/shell/states.tsx'
import { Forbidden } from '../system/forbidden.tsx'
import { webhooks as texts } from '../texts/en/webhooks.ts'
import { addTexts, t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ListItem } from '../ui/list-item.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { WebhookDialog } from './dialog.tsx'
import { WebhookDrawer } from './drawer.tsx'
import { useWebhooks, type Webhook } from './query.ts'

addTexts(texts)

/** The webhooks of the site: where changes are sent to. */
export function WebhooksScreen() {
  const { user } = useSession()
  useTitleAndBreadcrumb(t('webhooks.title'), [
    { text: t('nav.system'), render: <Link to="/system" /> },
    { text: t('webhooks.title') },
  ])
  return can(user, 'access.system') ? <All /> : <Forbidden />
}

function All() {
  const { data: webhooks, error, refetch } = useWebhooks()
  const [isAdding, setAdding] = useState(false)
  const [opened, setOpened] = useState<string>()
  const openWebhook = webhooks?.find(({ id }) => id === opened)
  const add = (
    <Button variant="primary" icon={Plus} onClick={() => setAdding(true)}>
      {t('webhooks.add')}
    </Button>
  )
  if (error) return <ErrorScreen error={error} reset={() => void refetch()} />
  return (
    <>
      <PageHeader
        title={t('webhooks.title')}
        info={t('webhooks.info')}
        actions={webhooks && webhooks.length > 0 && add}
      />
      {!webhooks ? (
        <Skeleton className="h-12 w-full" lines={3} />
      ) : webhooks.length === 0 ? (
        <Card>
          <EmptyState icon={Icon} text={t('webhooks.none')} action={add} />
        </Card>
      ) : (
        <Card flush>
          <ul aria-label={t('webhooks.title')} className="divide-y">
            {webhooks.map(webhook => (
              <li key={webhook.id}>
                <ListItem
                  icon={Icon}
                  title={<bdi dir="ltr">{webhook.url}</bdi>}
                  info={webhook.events.includes('*') ? t('activity.kind.all') : webhook.events.join(', ')}
                  render={<button type="button" onClick={() => setOpened(webhook.id)} />}
                  after={<State webhook={webhook} />}
                />
              </li>
            ))}
          </ul>
        </Card>
      )}
      {isAdding && <WebhookDialog onClose={() => setAdding(false)} />}
      {openWebhook && <WebhookDrawer webhook={openWebhook} onClose={() => setOpened(undefined)} />}
    </>
  )
}

function State({ webhook: { active, off, source } }: { webhook: Webhook }) {
  return (
    <>
      {source === 'settings' && <Badge>{t('webhooks.ofSettings')}</Badge>}
      {off ? (
        <Badge tone="danger">{t(`webhooks.off.${off}`)}</Badge>
      ) : (
        <Badge tone={active ? 'good' : 'neutral'}>{t(active ? 'system.on' : 'system.off')}</Badge>
      )}
    </>
  )
}

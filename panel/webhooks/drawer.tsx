import { useMutation } from '@tanstack/react-query'
import { Inbox, KeyRound, Pencil, RotateCw, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { formatDate, t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Drawer } from '../ui/drawer.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Switch } from '../ui/switch.tsx'
import { SecretDialog, WebhookDialog } from './dialog.tsx'
import { type Delivery, useDeliveries, useRefreshWebhooks, type Webhook } from './query.ts'

/** A webhook with its last deliveries. */
export function WebhookDrawer({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { id, off, offSince, oldSecretUntil, source } = webhook
  const refresh = useRefreshWebhooks()
  const { data: deliveries } = useDeliveries(id)
  const [opened, setOpened] = useState<'change' | 'delete' | 'rotate'>()
  const close = () => setOpened(undefined)
  const test = useMutation({ mutationFn: () => client.system.webhooks.test({ id }), onSuccess: refresh })
  const again = useMutation({
    mutationFn: (delivery: string) => client.system.webhooks.sendAgain({ id, delivery }),
    onSuccess: refresh,
  })
  const rotate = useMutation({ mutationFn: () => client.system.webhooks.rotateSecret({ id }), onSuccess: refresh })
  const turn = useMutation({
    mutationFn: (active: boolean) => client.system.webhooks.update({ id }, { active }),
    onSuccess: refresh,
  })
  const remove = useMutation({
    mutationFn: () => client.system.webhooks.delete({ id }),
    onSuccess: () => {
      refresh()
      onClose()
    },
  })
  const isOurs = source === 'panel'

  return (
    <>
      <Drawer
        open
        title={<bdi dir="ltr">{webhook.url}</bdi>}
        onClose={onClose}
        footer={
          isOurs && (
            <>
              <Button icon={Pencil} onClick={() => setOpened('change')}>
                {t('webhooks.change')}
              </Button>
              <Button icon={KeyRound} onClick={() => setOpened('rotate')}>
                {t('webhooks.rotate')}
              </Button>
              <Button icon={Trash2} variant="danger" onClick={() => setOpened('delete')}>
                {t('action.delete')}
              </Button>
            </>
          )
        }
      >
        <div className="flex flex-col gap-4">
          {off && (
            <Notice tone="danger" title={t(`webhooks.off.${off}`)}>
              {t(`webhooks.off.${off}.text`, { when: formatDate(offSince ?? '') })}
            </Notice>
          )}
          {!isOurs && <Notice>{t('webhooks.ofSettings.text')}</Notice>}
          {oldSecretUntil !== null && <Notice>{t('webhooks.secret.old', { when: formatDate(oldSecretUntil) })}</Notice>}
          <Switch value={webhook.active} onChange={active => turn.mutate(active)} label={t('webhooks.active')} />
          <div className="flex items-center justify-between gap-2">
            <h3 className="font-medium">{t('webhooks.deliveries')}</h3>
            <Button icon={Send} busy={test.isPending} onClick={() => test.mutate()}>
              {t('webhooks.test')}
            </Button>
          </div>
          {!deliveries ? (
            <Skeleton className="h-10 w-full" lines={3} />
          ) : deliveries.length === 0 ? (
            <EmptyState icon={Inbox} text={t('webhooks.deliveries.none')} />
          ) : (
            <ul aria-label={t('webhooks.deliveries')} className="divide-y">
              {deliveries.map(delivery => (
                <li key={delivery.id} className="flex items-start gap-3 py-2">
                  <DeliveryState delivery={delivery} />
                  <div className="min-w-0 flex-1">
                    <div className="wrap-anywhere">{delivery.events.join(', ')}</div>
                    <div className="text-sm text-muted wrap-anywhere">{describe(delivery)}</div>
                  </div>
                  <IconButton
                    icon={RotateCw}
                    size="small"
                    label={t('webhooks.again')}
                    busy={again.isPending && again.variables === delivery.id}
                    onClick={() => again.mutate(delivery.id)}
                  />
                </li>
              ))}
            </ul>
          )}
        </div>
      </Drawer>
      {opened === 'change' && <WebhookDialog webhook={webhook} onClose={close} />}
      {rotate.data && <SecretDialog secret={rotate.data.secret} onClose={() => rotate.reset()} />}
      <ConfirmDialog
        open={opened === 'rotate'}
        onClose={close}
        onConfirm={() => {
          close()
          rotate.mutate()
        }}
        title={t('webhooks.rotate')}
        confirm={t('webhooks.rotate')}
      >
        {t('webhooks.rotate.text')}
      </ConfirmDialog>
      <ConfirmDialog
        open={opened === 'delete'}
        onClose={close}
        onConfirm={() => remove.mutate()}
        title={t('webhooks.delete')}
        confirm={t('action.delete')}
        busy={remove.isPending}
        danger
      >
        {t('webhooks.delete.text', { url: webhook.url })}
      </ConfirmDialog>
    </>
  )
}

const tones = { done: 'good', failed: 'danger', waiting: 'neutral' } as const

function DeliveryState({ delivery: { state, status } }: { delivery: Delivery }) {
  return <Badge tone={tones[state]}>{status ?? t(`webhooks.state.${state}`)}</Badge>
}

/** When it was sent, how long that took, and what went wrong. */
function describe({ created, duration, attempts, next, problem, state }: Delivery): string {
  return [
    formatDate(created),
    duration !== null && t('webhooks.duration', { ms: duration }),
    attempts > 1 && t('webhooks.attempts', { count: attempts }),
    state === 'waiting' && attempts > 0 && next !== null && t('webhooks.next', { when: formatDate(next) }),
    problem,
  ]
    .filter(Boolean)
    .join(' · ')
}

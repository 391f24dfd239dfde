import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ShownOnceDialog } from '../account/shown-once.tsx'
import { client } from '../app/client.ts'
import { SubmitDialog } from '../app/submit-dialog.tsx'
import { t } from '../texts/texts.ts'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { TagInput } from '../ui/tag-input.tsx'
import { useRefreshWebhooks, type Webhook } from './query.ts'

/** Suggestions while typing; any other name and pattern can be typed. */
const suggestions = [
  '*', 'page.*', 'page.created', 'page.changed', 'page.published', 'page.status', 'page.slug', 'page.moved', 'page.deleted', 'page.restored',
  'file.*', 'site.changed', 'language.*', 'user.*',
].map(value => ({ value, text: value })) // prettier-ignore

interface Props {
  /** Undefined for a new one. */
  webhook?: Webhook
  onClose: () => void
}

/** Creates or changes a webhook. The secret of a new one is shown once. */
export function WebhookDialog({ webhook, onClose }: Props) {
  const refresh = useRefreshWebhooks()
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [events, setEvents] = useState<string[]>(webhook?.events ?? ['page.*'])
  const [templates, setTemplates] = useState<string[]>(webhook?.templates ?? [])
  const [languages, setLanguages] = useState<string[]>(webhook?.languages ?? [])
  const [gather, setGather] = useState(String(webhook?.gather ?? 0))
  const save = useMutation({
    meta: { handlesError: true },
    mutationFn: async () => {
      const settings = { url: url.trim(), events, templates, languages, gather: Number(gather) || 0 }
      if (!webhook) return (await client.system.webhooks.create(settings)).secret
      await client.system.webhooks.update({ id: webhook.id }, settings)
      onClose()
      return undefined
    },
    onSuccess: refresh,
  })
  if (save.data !== undefined) return <SecretDialog secret={save.data} onClose={onClose} />
  const title = t(webhook ? 'webhooks.change' : 'webhooks.add')
  return (
    <SubmitDialog
      disablePointerDismissal
      title={title}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      confirm={webhook ? t('action.save') : title}
      busy={save.isPending}
      disabled={url.trim() === '' || events.length === 0}
      error={save.error}
    >
      <Field label={t('webhooks.url')} help={t('webhooks.url.help')} required>
        <Input dir="ltr" value={url} onChange={setUrl} maxLength={2000} placeholder="https://example.org/hook" />
      </Field>
      <Field label={t('webhooks.events')} help={t('webhooks.events.help')} required>
        <TagInput value={events} onChange={setEvents} suggestions={suggestions} max={50} />
      </Field>
      <Field label={t('webhooks.templates')} help={t('webhooks.empty.help')}>
        <TagInput value={templates} onChange={setTemplates} max={100} />
      </Field>
      <Field label={t('webhooks.languages')} help={t('webhooks.empty.help')}>
        <TagInput value={languages} onChange={setLanguages} max={100} />
      </Field>
      <Field label={t('webhooks.gather')} help={t('webhooks.gather.help')}>
        <Input value={gather} onChange={setGather} inputMode="numeric" maxLength={4} />
      </Field>
    </SubmitDialog>
  )
}

export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <ShownOnceDialog
      title={t('webhooks.secret')}
      notice={t('webhooks.secret.keep')}
      label={t('webhooks.secret')}
      secret={secret}
      onClose={onClose}
    />
  )
}

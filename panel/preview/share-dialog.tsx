import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { CopyButton } from '../account/copy.tsx'
import { client } from '../app/client.ts'
import { errorText } from '../app/errors.ts'
import { useContentLanguage } from '../app/language.ts'
import { flushDrafts } from '../editor/open-drafts.ts'
import { formatDate, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Notice } from '../ui/notice.tsx'
import { Select } from '../ui/select.tsx'
import { toast } from '../ui/toast.ts'

const hour = 60 * 60
const day = 24 * hour

/** Seconds; the longest is what the server allows. */
const lifetimes = { hour, workday: 8 * hour, day, week: 7 * day, month: 30 * day, quarter: 90 * day }
type Lifetime = keyof typeof lifetimes

interface SharedLink {
  url: string
  expires: string
  language: string | undefined
}

interface Props {
  id: string
  title: string
  onClose: () => void
}

/** Creates links that show a page with its unpublished changes, and revokes them. The server does not store them. */
export function ShareDialog({ id, title, onClose }: Props) {
  const { all, code } = useContentLanguage()
  const [language, setLanguage] = useState(code)
  const [lifetime, setLifetime] = useState<Lifetime>('week')
  const [links, setLinks] = useState<readonly SharedLink[]>([])
  const [isAsking, setAsking] = useState(false)
  const create = useMutation({
    meta: { handlesError: true },
    mutationFn: async () => {
      await flushDrafts()
      return client.pages.preview.create({ id, language }, { lifetime: lifetimes[lifetime] })
    },
    onSuccess: ({ url, expires }) => setLinks(before => [{ url, expires, language }, ...before]),
  })
  const revoke = useMutation({
    meta: { handlesError: true },
    mutationFn: () => client.pages.preview.delete({ id }),
    onSuccess: () => {
      setLinks([])
      toast({ title: t('preview.share.revoked') })
    },
  })
  const error = create.error ?? revoke.error
  return (
    <Dialog
      open
      title={t('preview.share.title', { title })}
      description={t('preview.share.text')}
      onClose={onClose}
      onSubmit={() => create.mutate()}
      footer={
        <>
          <Button className="me-auto" busy={revoke.isPending} onClick={() => setAsking(true)}>
            {t('preview.share.revoke')}
          </Button>
          <Button type="submit" variant="primary" busy={create.isPending}>
            {t('preview.share.create')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error && (
          <Notice live tone="danger">
            {errorText(error)}
          </Notice>
        )}
        <Field label={t('preview.share.lifetime')}>
          <Select<Lifetime>
            value={lifetime}
            onChange={next => setLifetime(next ?? 'week')}
            options={(Object.keys(lifetimes) as Lifetime[]).map(value => ({
              value,
              text: t(`preview.share.lifetime.${value}`),
            }))}
          />
        </Field>
        {all.length > 1 && (
          <Field label={t('preview.share.language')}>
            <Select
              value={language ?? null}
              onChange={next => setLanguage(next ?? code)}
              options={all.map(({ code: value, name: text }) => ({ value, text }))}
            />
          </Field>
        )}
        {links.map(link => (
          <Field
            key={link.url}
            label={t('preview.share.link')}
            help={[all.find(candidate => candidate.code === link.language)?.name, t('preview.share.until', { date: formatDate(link.expires, { dateStyle: 'medium', timeStyle: 'short' }) })].filter(Boolean).join(' · ')} // prettier-ignore
          >
            <Input
              mono
              readOnly
              dir="ltr"
              value={link.url}
              onChange={() => {}}
              action={<CopyButton text={link.url} />}
            />
          </Field>
        ))}
      </div>
      <ConfirmDialog
        open={isAsking}
        danger
        title={t('preview.share.revoke.ask')}
        confirm={t('preview.share.revoke')}
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false)
          revoke.mutate()
        }}
      >
        {t('preview.share.revoke.text')}
      </ConfirmDialog>
    </Dialog>
  )
}

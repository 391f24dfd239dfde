import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { errorText, hasKey } from '../app/errors.ts'
import { keys } from '../app/query.ts'
import { can, clearSession, useSession } from '../app/session.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Notice } from '../ui/notice.tsx'
import { Select } from '../ui/select.tsx'
import { toast } from '../ui/toast.ts'
import { AvatarCard } from './avatar.tsx'
import { ownAccount, refreshAccount } from './queries.ts'

export function Profile() {
  return (
    <div className="flex flex-col gap-5">
      <About />
      <Email />
      <AvatarCard />
    </div>
  )
}

/** Name and language. */
function About() {
  const { user } = useSession()
  const [name, setName] = useState(user.name ?? '')
  const [language, setLanguage] = useState(user.language)
  const canChangeName = can(user, 'user.changeName')
  const canChangeLanguage = can(user, 'user.changeLanguage')
  const { data: languages = [] } = useQuery({
    queryKey: keys.translations,
    queryFn: async () => (await client.translations.list()).data,
    staleTime: Infinity,
  })
  const save = useMutation({
    mutationFn: async () => {
      if (name !== (user.name ?? '')) await client.users.changeName(ownAccount, { name })
      if (language !== user.language) await client.users.changeLanguage(ownAccount, { language })
      await refreshAccount()
    },
    onSuccess: () => toast({ tone: 'good', title: t('account.saved') }),
    onError: async error => {
      // The name may have been changed. Without a session, a reload would open the sign-in dialog again, which the user
      // has just closed.
      if (!hasKey(error, 'auth')) await refreshAccount()
    },
  })
  const changed = name !== (user.name ?? '') || language !== user.language
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Card
        title={t('account.profile.about')}
        footer={
          <Button type="submit" variant="primary" busy={save.isPending} disabled={!changed}>
            {t('action.save')}
          </Button>
        }
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={t('account.profile.name')} disabled={!canChangeName}>
            <Input name="name" value={name} onChange={setName} autoComplete="name" />
          </Field>
          <Field label={t('account.profile.language')} disabled={!canChangeLanguage}>
            <Select
              value={language}
              onChange={chosen => setLanguage(chosen ?? 'en')}
              options={languages.map(({ id, name: text }) => ({ value: id ?? '', text: text ?? '' }))}
            />
          </Field>
        </div>
      </Card>
    </form>
  )
}

/** Changes the e-mail address by a link that is sent to the new one; at once if the site sends no mail. */
function Email() {
  const { user } = useSession()
  const [open, setOpen] = useState(false)
  const [email, setEmail] = useState('')
  const [sent, setSent] = useState<string>()
  const change = useMutation({
    meta: { handlesError: true },
    mutationFn: () => client.users.changeEmail(ownAccount, { email }),
    onSuccess: async answer => {
      setOpen(false)
      if ('challenge' in answer) setSent(email)
      else await clearSession() // the change ends all sessions
    },
  })
  return (
    <Card
      title={t('account.profile.email')}
      actions={
        can(user, 'user.changeEmail') && (
          <Button
            size="small"
            onClick={() => {
              setEmail('')
              change.reset()
              setOpen(true)
            }}
          >
            {t('account.profile.email.change')}
          </Button>
        )
      }
    >
      <p className="font-medium break-words">{user.email}</p>
      <p className="text-muted">{t('account.profile.email.text')}</p>
      {sent !== undefined && (
        <div className="mt-3">
          <Notice tone="info" live>
            {t('account.profile.email.sent', { email: sent })}
          </Notice>
        </div>
      )}
      <Dialog
        size="small"
        open={open}
        onClose={() => setOpen(false)}
        title={t('account.profile.email.change')}
        onSubmit={() => change.mutate()}
        footer={
          <>
            <Button onClick={() => setOpen(false)}>{t('action.cancel')}</Button>
            <Button type="submit" variant="primary" busy={change.isPending}>
              {t('account.profile.email.change')}
            </Button>
          </>
        }
      >
        <Field
          label={t('account.profile.email.new')}
          help={t('account.profile.email.help')}
          error={change.error ? errorText(change.error) : undefined}
        >
          <Input
            type="email"
            value={email}
            onChange={setEmail}
            autoComplete="email"
            autoCapitalize="none"
            spellCheck={false}
          />
        </Field>
      </Dialog>
    </Card>
  )
}

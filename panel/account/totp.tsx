import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { client } from '../app/client.ts'
import { errorText, hasKey } from '../app/errors.ts'
import { useSession } from '../app/session.ts'
import { t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { toast } from '../ui/toast.ts'
import { CopyButton } from './copy.tsx'
import { QrCode } from './qr.tsx'
import { ownAccount, refreshAccount, totpEventQuery } from './queries.ts'

/**
 * Whether the account has an authenticator app: from the last audit event about it, or from the factors of this
 * session.
 */
export function useTotp(): boolean | undefined {
  const { session } = useSession()
  const { data: last, isPending } = useQuery(totpEventQuery)
  if (isPending) return undefined
  return last === null || last === undefined ? session.amr.includes('otp') : last === 'auth.factor.added'
}

/** The authenticator app of the user's own account. */
export function Totp() {
  const on = useTotp()
  const [dialog, setDialog] = useState<'add' | 'remove' | 'replace'>()
  const remove = useMutation({
    meta: { handlesError: true },
    mutationFn: () => client.users.totp.remove(ownAccount),
    onSuccess: async () => {
      setDialog(undefined)
      toast({ tone: 'good', title: t('account.totp.removed') })
      await refreshAccount()
    },
    onError: error => {
      const isLast = hasKey(error, 'user.factor.last')
      setDialog(isLast ? 'replace' : undefined)
      if (!isLast) toast({ tone: 'danger', title: errorText(error) })
    },
  })
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          {t('account.totp')}
          {on !== undefined && (
            <Badge tone={on ? 'good' : 'neutral'}>{t(on ? 'account.totp.on' : 'account.totp.off')}</Badge>
          )}
        </span>
      }
      actions={
        on !== undefined && (
          <Button size="small" onClick={() => setDialog(on ? 'remove' : 'add')}>
            {t(on ? 'account.totp.remove' : 'account.totp.add')}
          </Button>
        )
      }
    >
      <p className="text-muted">{t('account.totp.text')}</p>
      {(dialog === 'add' || dialog === 'replace') && (
        <Dialog
          open
          disablePointerDismissal
          size="small"
          title={t(`account.totp.${dialog}`)}
          description={dialog === 'replace' ? t('account.totp.replace.text') : undefined}
          onClose={() => setDialog(undefined)}
        >
          <TotpSetup
            replace={dialog === 'replace'}
            onDone={async () => {
              setDialog(undefined)
              toast({ tone: 'good', title: t('account.totp.added') })
              await refreshAccount()
            }}
          />
        </Dialog>
      )}
      <ConfirmDialog
        danger
        open={dialog === 'remove'}
        title={t('account.totp.remove')}
        confirm={t('action.remove')}
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={() => setDialog(undefined)}
      >
        {t('account.totp.remove.text')}
      </ConfirmDialog>
    </Card>
  )
}

/** Shows the secret as a QR code and as text, and asks for a code to prove that the app works. */
export function TotpSetup({ onDone, replace = false }: { onDone: () => void | Promise<void>; replace?: boolean }) {
  const [code, setCode] = useState('')
  const enrolment = useMutation({
    meta: { handlesError: true },
    mutationFn: () => client.users.totp.begin(ownAccount, { replace }),
  })
  const { mutate: start } = enrolment
  useEffect(() => start(), [start])
  const confirm = useMutation({
    meta: { handlesError: true },
    mutationFn: (challenge: string) => client.users.totp.confirm(ownAccount, { challenge, code }),
    onSuccess: onDone,
    onError: () => setCode(''),
  })
  if (enrolment.error) {
    return (
      <Notice tone="danger" live>
        {errorText(enrolment.error)}
      </Notice>
    )
  }
  if (!enrolment.data) return <Skeleton className="h-44 w-44" />
  const { secret, uri, challenge } = enrolment.data
  return (
    <form
      className="flex flex-col gap-4"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        event.stopPropagation()
        confirm.mutate(challenge)
      }}
    >
      <p className="text-muted">{t('account.totp.scan')}</p>
      <div className="flex justify-center">
        <QrCode text={uri} label={t('account.totp.qr')} />
      </div>
      <Field label={t('account.totp.key')}>
        <Input
          mono
          readOnly
          dir="ltr"
          value={secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}
          onChange={() => {}}
          action={<CopyButton text={secret} />}
        />
      </Field>
      <Field label={t('account.totp.code')} error={confirm.error ? errorText(confirm.error) : undefined}>
        <Input
          mono
          dir="ltr"
          name="code"
          value={code}
          onChange={setCode}
          inputMode="numeric"
          autoComplete="one-time-code"
          autoFocus
        />
      </Field>
      <Button type="submit" variant="primary" busy={confirm.isPending}>
        {t('account.totp.confirm')}
      </Button>
    </form>
  )
}

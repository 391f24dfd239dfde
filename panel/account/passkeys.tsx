import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { errorText } from '../app/errors.ts'
import { SubmitDialog } from '../app/submit-dialog.tsx'
import { supportsPasskeys } from '../signin/passkey.ts'
import { formatRelativeTime, t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Field } from '../ui/field.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Input } from '../ui/input.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { toast } from '../ui/toast.ts'
import { ownAccount, passkeysQuery, refreshAccount } from './queries.ts'

type Passkey = NonNullable<Awaited<ReturnType<NonNullable<typeof passkeysQuery.queryFn>>>>[number]

/** Passkeys of the user's own account. */
export function Passkeys() {
  const { data: all } = useQuery(passkeysQuery)
  const [adding, setAdding] = useState(false)
  const [renaming, setRenaming] = useState<Passkey>()
  /** Stays the same while the dialog closes. */
  const [removing, setRemoving] = useState<Passkey>()
  const [isRemovalOpen, setRemovalOpen] = useState(false)
  const remove = useMutation({
    mutationFn: async (passkey: Passkey) => {
      await client.users.passkeys.remove({ ...ownAccount, passkey: passkey.id })
      await refreshAccount()
    },
    onSettled: () => setRemovalOpen(false),
  })
  function askToRemove(passkey: Passkey) {
    setRemoving(passkey)
    setRemovalOpen(true)
  }
  return (
    <Card
      title={t('account.passkeys')}
      actions={
        supportsPasskeys() && (
          <Button size="small" icon={Plus} onClick={() => setAdding(true)}>
            {t('account.passkeys.add')}
          </Button>
        )
      }
    >
      <p className="text-muted">{t('account.passkeys.text')}</p>
      {!all && <Skeleton className="mt-3 h-10" />}
      {all?.length === 0 && <p className="mt-3 text-muted">{t('account.passkeys.none')}</p>}
      {all && all.length > 0 && (
        <ul className="mt-2 -mb-2 divide-y">
          {all.map(passkey => (
            <li key={passkey.id} className="flex items-center gap-3 py-2">
              <KeyRound aria-hidden="true" className="text-muted" />
              <div className="min-w-0 flex-1">
                <p className="flex flex-wrap items-center gap-x-2 font-medium break-words">
                  {passkey.name}
                  {passkey.synced && <Badge>{t('account.passkeys.synced')}</Badge>}
                </p>
                <p className="text-sm text-muted">
                  {passkey.lastUsed
                    ? t('account.passkeys.used', { time: formatRelativeTime(passkey.lastUsed) })
                    : t('account.passkeys.unused', { time: formatRelativeTime(passkey.created) })}
                </p>
              </div>
              <IconButton
                label={`${t('account.passkeys.rename')}: ${passkey.name}`}
                icon={Pencil}
                onClick={() => setRenaming(passkey)}
              />
              <IconButton
                label={`${t('action.remove')}: ${passkey.name}`}
                icon={Trash2}
                onClick={() => askToRemove(passkey)}
              />
            </li>
          ))}
        </ul>
      )}
      {adding && <AddPasskeyDialog onClose={() => setAdding(false)} />}
      {renaming && <RenameDialog passkey={renaming} onClose={() => setRenaming(undefined)} />}
      <ConfirmDialog
        danger
        open={isRemovalOpen}
        title={t('account.passkeys.remove', { name: removing?.name ?? '' })}
        confirm={t('action.remove')}
        busy={remove.isPending}
        onConfirm={() => removing && remove.mutate(removing)}
        onClose={() => setRemovalOpen(false)}
      >
        {t('account.passkeys.remove.text')}
      </ConfirmDialog>
    </Card>
  )
}

/** First asks for a name, then opens the passkey dialog of the browser. */
export function AddPasskeyDialog({
  onClose,
  onDone = refreshAccount,
}: {
  onClose: () => void
  onDone?: () => Promise<void>
}) {
  const [name, setName] = useState('')
  const add = useMutation({
    meta: { handlesError: true },
    mutationFn: async () => {
      const { challenge, publicKey } = await client.users.passkeys.begin(ownAccount)
      const { startRegistration } = await import('@simplewebauthn/browser')
      const credential = await startRegistration({ optionsJSON: publicKey }).catch(() => {
        throw new PasskeyRefused(t('account.passkeys.refused'))
      })
      await client.users.passkeys.create(ownAccount, { challenge, credential, name: name.trim() })
    },
    onSuccess: async () => {
      onClose()
      toast({ tone: 'good', title: t('account.passkeys.added') })
      await onDone()
    },
  })
  const error = add.error && (add.error instanceof PasskeyRefused ? add.error.message : errorText(add.error))
  return (
    <SubmitDialog
      disablePointerDismissal
      size="small"
      title={t('account.passkeys.add')}
      onClose={onClose}
      onSubmit={() => add.mutate()}
      confirm={t('action.next')}
      busy={add.isPending}
      disabled={name.trim() === ''}
    >
      <Field label={t('account.passkeys.name')} help={t('account.passkeys.name.help')} error={error ?? undefined}>
        <Input value={name} onChange={setName} maxLength={100} />
      </Field>
    </SubmitDialog>
  )
}

/** The browser or the user cancelled. The dialog shows the message as it is. */
class PasskeyRefused extends Error {}

function RenameDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const [name, setName] = useState(passkey.name ?? '')
  const rename = useMutation({
    mutationFn: async () => {
      await client.users.passkeys.changeName({ ...ownAccount, passkey: passkey.id }, { name: name.trim() })
      await refreshAccount()
    },
    onSuccess: onClose,
  })
  return (
    <SubmitDialog
      size="small"
      title={t('account.passkeys.rename')}
      onClose={onClose}
      onSubmit={() => rename.mutate()}
      confirm={t('action.save')}
      busy={rename.isPending}
      disabled={name.trim() === ''}
    >
      <Field label={t('account.passkeys.name')}>
        <Input value={name} onChange={setName} maxLength={100} />
      </Field>
    </SubmitDialog>
  )
}

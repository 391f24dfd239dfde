import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { client } from '../app/client.ts'
import { SubmitDialog } from '../app/submit-dialog.tsx'
import { permissionText } from '../extensions/parts.ts'
import { t } from '../texts/texts.ts'
import { Combobox } from '../ui/combobox.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { RadioGroup } from '../ui/radio-group.tsx'
import { Select } from '../ui/select.tsx'
import { ShownOnceDialog } from './shown-once.tsx'

const daySeconds = 24 * 60 * 60
const lifetimeSeconds = { month: 30 * daySeconds, quarter: 90 * daySeconds, year: 365 * daySeconds, never: undefined }
type Lifetime = keyof typeof lifetimeSeconds

/** The account that owns the token, and its permissions. */
export interface TokenOwner {
  id: string
  permissions: Readonly<Record<string, Readonly<Record<string, boolean>>>>
  /** Undefined for the user's own account. */
  name?: string
}

interface Props {
  owner: TokenOwner
  /** The scopes of a token that only reads. */
  readScopes: readonly string[]
  onCreated: () => void
  onClose: () => void
}

/** Creates a token with name, scopes and expiry, then shows it once. */
export function TokenDialog({ owner, readScopes, onCreated, onClose }: Props) {
  const [name, setName] = useState('')
  const [scopeChoice, setScopeChoice] = useState<'published' | 'all' | 'read' | 'selected'>('read')
  const [chosenScopes, setChosenScopes] = useState<string[]>([])
  const permissionsId = useId()
  const [lifetime, setLifetime] = useState<Lifetime>('quarter')
  const allowed = Object.entries(owner.permissions).flatMap(([category, actions]) =>
    Object.entries(actions).flatMap(([action, may]) => (may ? `${category}.${action}` : [])),
  )
  const scopes = {
    published: ['published'],
    read: [...readScopes],
    all: ['*'],
    selected: chosenScopes,
  }[scopeChoice]
  const create = useMutation({
    meta: { handlesError: true },
    mutationFn: () => {
      const seconds = lifetimeSeconds[lifetime]
      return client.users.tokens.create(
        { id: owner.id },
        { name, scopes, ...(seconds !== undefined && { lifetime: seconds }) },
      )
    },
    onSuccess: onCreated,
  })

  if (create.data) {
    const { name: ownerName } = owner
    return (
      <ShownOnceDialog
        title={ownerName === undefined ? t('account.tokens.created') : t('users.tokens.created', { name: ownerName })}
        notice={t('account.tokens.keep')}
        label={t('account.tokens.token')}
        secret={create.data.token}
        onClose={onClose}
      />
    )
  }
  return (
    <SubmitDialog
      disablePointerDismissal
      title={t('account.tokens.add')}
      onClose={onClose}
      onSubmit={() => create.mutate()}
      confirm={t('account.tokens.add')}
      busy={create.isPending}
      disabled={name.trim() === '' || scopes.length === 0}
      error={create.error}
    >
      <Field label={t('account.tokens.name')} help={t('account.tokens.name.help')} required>
        <Input value={name} onChange={setName} maxLength={100} />
      </Field>
      <Field group="radiogroup" label={t('account.tokens.scopes')}>
        <RadioGroup
          value={scopeChoice}
          onChange={setScopeChoice}
          options={(['published', 'read', 'all', 'selected'] as const).map(value => ({
            value,
            text: t(
              value === 'all' && owner.name !== undefined ? 'users.tokens.scope.all' : `account.tokens.scope.${value}`,
            ),
          }))}
        />
        {scopeChoice === 'selected' && (
          <Combobox
            multiple
            // The id of the field is that of the radio buttons.
            id={permissionsId}
            aria-label={t('account.tokens.scope.selected')}
            value={chosenScopes}
            onChange={setChosenScopes}
            options={allowed.map(value => ({ value, text: permissionText(value) ?? value }))}
          />
        )}
      </Field>
      <Field label={t('account.tokens.lifetime')}>
        <Select
          value={lifetime}
          onChange={chosen => setLifetime(chosen ?? 'quarter')}
          options={(Object.keys(lifetimeSeconds) as Lifetime[]).map(value => ({
            value,
            text: t(`account.tokens.lifetime.${value}`),
          }))}
        />
      </Field>
    </SubmitDialog>
  )
}

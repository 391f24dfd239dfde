import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { errorText, fieldErrors, hasKey } from '../app/errors.ts'
import { keys } from '../app/query.ts'
import { SubmitDialog } from '../app/submit-dialog.tsx'
import { NewPassword } from '../signin/new-password.tsx'
import { hasMail, useSystem } from '../system/query.ts'
import { t } from '../texts/texts.ts'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { RadioGroup } from '../ui/radio-group.tsx'
import { Select } from '../ui/select.tsx'
import { toast } from '../ui/toast.ts'

type SetupMethod = 'invitation' | 'password'

/** Creates an account: its owner is invited by e-mail or gets a password. */
export function CreateUserDialog({ onClose }: { onClose: () => void }) {
  const { data: system } = useSystem()
  const mail = system ? hasMail(system) : true
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [chosenRole, setRole] = useState<string | null>(null)
  const [language, setLanguage] = useState<string | null>(null)
  const [chosenMethod, setMethod] = useState<SetupMethod>()
  const [password, setPassword] = useState('')
  const method = chosenMethod ?? (mail ? 'invitation' : 'password')
  const roles = useQuery({
    queryKey: [...keys.roles, 'created'],
    queryFn: async () => (await client.roles.list({ canBe: 'created' })).data,
  })
  const offered = roles.data ?? []
  // Never preselect `admin`: full permissions should be a deliberate choice.
  const role = chosenRole ?? offered.find(candidate => candidate.name !== 'admin')?.name ?? offered[0]?.name ?? null
  const userLanguage = language ?? system?.defaultLanguage ?? 'en'
  const queryClient = useQueryClient()
  const navigate = useNavigate()

  const create = useMutation({
    mutationFn: () =>
      client.users.create({
        email: email.trim(),
        name: name.trim(),
        language: userLanguage,
        ...(role !== null && { role }),
        ...(method === 'password' && { password }),
      }),
    meta: { handlesError: true },
    onSuccess: async created => {
      await queryClient.invalidateQueries({ queryKey: keys.users })
      toast({
        tone: 'good',
        title: t(method === 'invitation' ? 'users.invited' : 'users.created', { name: created.username }),
      })
      await navigate({ to: '/users/$id', params: { id: created.id } })
    },
  })
  const errors = fieldErrors(create.error)
  const emailError =
    errors['email'] ??
    (hasKey(create.error, 'user.email.invalid', 'user.duplicate') ? errorText(create.error) : undefined)
  const passwordError =
    errors['password'] ?? (hasKey(create.error, 'user.password.invalid') ? errorText(create.error) : undefined)
  const isShownAtField = emailError !== undefined || passwordError !== undefined
  const isComplete = email.trim() !== '' && role !== null && (method === 'invitation' || password !== '')

  return (
    <SubmitDialog
      disablePointerDismissal={email !== ''}
      title={t('users.create.title')}
      onClose={onClose}
      onSubmit={() => isComplete && create.mutate()}
      confirm={t(method === 'invitation' ? 'users.create.invite' : 'users.create.confirm')}
      busy={create.isPending}
      disabled={!isComplete}
      error={isShownAtField ? undefined : create.error}
    >
      <Field label={t('users.email')} required error={emailError}>
        <Input
          type="email"
          inputMode="email"
          autoFocus
          value={email}
          onChange={setEmail}
          dir="ltr"
          spellCheck={false}
        />
      </Field>
      <Field label={t('users.name')} error={errors['name']}>
        <Input value={name} onChange={setName} />
      </Field>
      <Field
        label={t('users.role')}
        required
        error={errors['role'] ?? (roles.error ? errorText(roles.error) : undefined)}
        help={offered.find(candidate => candidate.name === role)?.description ?? undefined}
      >
        <Select
          value={role}
          onChange={setRole}
          options={offered.map(({ name: value, title: text }) => ({ value, text }))}
        />
      </Field>
      <Field label={t('users.language')} help={t('users.language.help')}>
        <Select
          value={userLanguage}
          onChange={setLanguage}
          options={(system?.translations ?? []).map(({ id, name: own }) => ({ value: id, text: own }))}
        />
      </Field>
      <Field group="radiogroup" label={t('users.create.way')}>
        <RadioGroup
          value={method}
          onChange={setMethod}
          options={[
            {
              value: 'invitation',
              text: t('users.create.invitation'),
              info: t(mail ? 'users.create.invitation.info' : 'users.create.noMail'),
              disabled: !mail,
            },
            { value: 'password', text: t('users.create.password'), info: t('users.create.password.info') },
          ]}
        />
      </Field>
      {method === 'password' && (
        <NewPassword
          size="normal"
          label={t('users.password')}
          error={passwordError}
          names={[name, email.split('@')[0]!]}
          value={password}
          onChange={setPassword}
        />
      )}
    </SubmitDialog>
  )
}

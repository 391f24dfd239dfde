import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { client } from '../app/client.ts'
import { errorText, fieldErrors } from '../app/errors.ts'
import { keys } from '../app/query.ts'
import { SubmitDialog } from '../app/submit-dialog.tsx'
import { NewPassword } from '../signin/new-password.tsx'
import { useSystem } from '../system/query.ts'
import { t } from '../texts/texts.ts'
import { Checkbox } from '../ui/checkbox.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { RadioGroup } from '../ui/radio-group.tsx'
import { Select } from '../ui/select.tsx'
import { toast } from '../ui/toast.ts'
import { userChanged, type UserModel } from './model.ts'

interface Props {
  user: UserModel
  onClose: () => void
}

interface FormProps extends Props {
  title: string
  description?: string | undefined
  /** The field whose errors are shown at the control. */
  name: string
  label: string
  help?: ReactNode
  group?: 'radiogroup' | undefined
  isReady: boolean
  save: () => Promise<unknown>
  /** The control, or a function that renders the whole field with its error. */
  children: ReactNode | ((error: string | undefined) => ReactNode)
}

/** A dialog that changes one property of an account. */
function ChangeDialog({
  user,
  onClose,
  title,
  description,
  name,
  label,
  help,
  group,
  isReady,
  save,
  children,
}: FormProps) {
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: save,
    meta: { handlesError: true },
    onSuccess: async () => {
      await userChanged(queryClient, user.id)
      toast({ tone: 'good', title: t('users.saved') })
      onClose()
    },
  })
  const error = change.error ? (fieldErrors(change.error)[name] ?? errorText(change.error)) : undefined
  return (
    <SubmitDialog
      size="small"
      title={title}
      description={description}
      onClose={onClose}
      onSubmit={() => isReady && change.mutate()}
      confirm={t('action.save')}
      busy={change.isPending}
      disabled={!isReady}
    >
      {typeof children === 'function' ? (
        children(error)
      ) : (
        <Field label={label} help={help} group={group} error={error}>
          {children}
        </Field>
      )}
    </SubmitDialog>
  )
}

export function UserNameDialog(props: Props) {
  const { user } = props
  const [name, setName] = useState(user.name ?? '')
  return (
    <ChangeDialog
      {...props}
      name="name"
      title={t('users.name.title')}
      label={t('users.name')}
      isReady
      save={() => client.users.changeName({ id: user.id }, { name })}
    >
      <Input autoFocus value={name} onChange={setName} />
    </ChangeDialog>
  )
}

export function EmailDialog(props: Props) {
  const { user } = props
  const [email, setEmail] = useState(user.email)
  return (
    <ChangeDialog
      {...props}
      name="email"
      title={t('users.email.title')}
      label={t('users.email')}
      help={t('users.email.help')}
      isReady={email.trim() !== '' && email.trim() !== user.email}
      save={() => client.users.changeEmail({ id: user.id }, { email: email.trim() })}
    >
      <Input autoFocus type="email" inputMode="email" dir="ltr" spellCheck={false} value={email} onChange={setEmail} />
    </ChangeDialog>
  )
}

export function LanguageDialog(props: Props) {
  const { user } = props
  const { data: system } = useSystem()
  const [language, setLanguage] = useState<string | null>(user.language)
  return (
    <ChangeDialog
      {...props}
      name="language"
      title={t('users.language.title')}
      label={t('users.language')}
      help={t('users.language.help')}
      isReady={language !== null && language !== user.language}
      save={() => client.users.changeLanguage({ id: user.id }, { language: language! })}
    >
      <Select
        value={language}
        onChange={setLanguage}
        options={(system?.translations ?? []).map(({ id, name }) => ({ value: id, text: name }))}
      />
    </ChangeDialog>
  )
}

export function RoleDialog(props: Props) {
  const { user } = props
  const [role, setRole] = useState(user.role.name)
  const { data: roles = [] } = useQuery({
    queryKey: keys.user(user.id, 'roles'),
    queryFn: async () => (await client.users.roles({ id: user.id })).data,
  })
  return (
    <ChangeDialog
      {...props}
      group="radiogroup"
      name="role"
      title={t('users.role.title')}
      description={t('users.role.help')}
      label={t('users.role')}
      isReady={role !== user.role.name}
      save={() => client.users.changeRole({ id: user.id }, { role })}
    >
      <RadioGroup
        value={role}
        onChange={setRole}
        options={roles.map(({ name, title, description }) => ({ value: name, text: title, info: description }))}
      />
    </ChangeDialog>
  )
}

export function PasswordDialog(props: Props) {
  const { user } = props
  const [password, setPassword] = useState('')
  const [endTokens, setEndTokens] = useState(true)
  return (
    <ChangeDialog
      {...props}
      name="password"
      title={t('users.password.title', { name: user.username })}
      description={t('users.password.set.help')}
      label={t('users.password.new')}
      isReady={password !== ''}
      save={() => client.users.changePassword({ id: user.id }, { password, endTokens })}
    >
      {error => (
        <>
          <NewPassword
            size="normal"
            label={t('users.password.new')}
            error={error}
            names={[user.name ?? '', user.email.split('@')[0]!]}
            value={password}
            onChange={setPassword}
          />
          <Checkbox value={endTokens} onChange={setEndTokens} label={t('users.password.endTokens')} />
        </>
      )}
    </ChangeDialog>
  )
}

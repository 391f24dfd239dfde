import { QueryClientProvider, useMutation } from '@tanstack/react-query'
import { KeyRound, Smartphone } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { AddPasskeyDialog } from '../account/passkeys.tsx'
import { ownAccount } from '../account/queries.ts'
import { CodesDialog } from '../account/recovery.tsx'
import { TotpSetup } from '../account/totp.tsx'
import { useAsyncAction } from '../app/action.ts'
import { client } from '../app/client.ts'
import { errorText, hasKey } from '../app/errors.ts'
import { queryClient } from '../app/query.ts'
import { loadSession, session, signOut, type System } from '../app/session.ts'
import { account } from '../texts/en/account.ts'
import { addTexts, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { PasswordInput } from '../ui/password-input.tsx'
import { SignInFrame } from './frame.tsx'
import { NewPassword } from './new-password.tsx'
import { SignInError, useWait } from './wait.tsx'

addTexts(account)

/** Forced setup: what an account must do before it can use anything else. */
export function ForcedSetup({ system }: { system: System }) {
  const state = session.use()
  if (state.status !== 'in') return null
  const { user, session: current } = state
  return (
    <QueryClientProvider client={queryClient}>
      {current.mustChangePassword ? (
        <OwnPassword system={system} names={[user.email, user.name ?? '']} />
      ) : (
        <FirstFactor system={system} />
      )}
    </QueryClientProvider>
  )
}

const Leave = () => (
  <Button variant="plain" className="text-muted" onClick={() => void signOut()}>
    {t('signin.forcedSetup.signOut')}
  </Button>
)

/** Someone else set the password, so the user must choose a new one. */
function OwnPassword({ system, names }: { system: System; names: string[] }) {
  const [currentPassword, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const save = useAsyncAction(async () => {
    await client.users.changePassword(ownAccount, { currentPassword, password })
    await loadSession()
  })
  const secondsLeft = useWait(save.error)
  const passwordError = hasKey(save.error, 'user.password.invalid', 'user.password.excessive', 'user.password.same')
  return (
    <SignInFrame
      system={system}
      title={t('signin.forcedSetup.password.title')}
      text={t('signin.forcedSetup.password.text')}
    >
      <form
        className="flex flex-col gap-4"
        noValidate
        onSubmit={event => {
          event.preventDefault()
          if (secondsLeft === 0) void save.run()
        }}
      >
        <SignInError error={passwordError ? undefined : save.error} />
        <Field label={t('signin.forcedSetup.current')}>
          <PasswordInput size="large" value={currentPassword} onChange={setCurrent} autoFocus />
        </Field>
        <NewPassword
          value={password}
          onChange={setPassword}
          names={names}
          error={passwordError ? errorText(save.error) : undefined}
        />
        <Button
          type="submit"
          variant="primary"
          size="large"
          className="w-full"
          busy={save.busy}
          disabled={secondsLeft > 0}
        >
          {t('signin.newPassword.save')}
        </Button>
        <Leave />
      </form>
    </SignInFrame>
  )
}

/** The role requires a second factor: an authenticator app or a passkey, plus recovery codes. */
function FirstFactor({ system }: { system: System }) {
  const [chosen, setChosen] = useState<'totp' | 'passkey'>()
  const codes = useMutation({ mutationFn: () => client.users.recoveryCodes.renew(ownAccount) })
  const done = async () => {
    // The factor is valid even if the recovery codes could not be created.
    await codes.mutateAsync().catch(() => loadSession())
  }
  const frame = (children: ReactNode) => (
    <SignInFrame
      system={system}
      title={t('signin.forcedSetup.factor.title')}
      text={t('signin.forcedSetup.factor.text')}
    >
      <div className="flex flex-col gap-3">
        {children}
        <Leave />
      </div>
      {codes.data && <CodesDialog codes={codes.data.codes} onClose={() => void loadSession()} />}
    </SignInFrame>
  )
  if (chosen === 'totp') return frame(<TotpSetup onDone={done} />)
  return frame(
    <>
      <Button size="large" icon={Smartphone} onClick={() => setChosen('totp')}>
        {t('account.totp.add')}
      </Button>
      <Button size="large" icon={KeyRound} onClick={() => setChosen('passkey')}>
        {t('account.passkeys.add')}
      </Button>
      {chosen === 'passkey' && <AddPasskeyDialog onClose={() => setChosen(undefined)} onDone={done} />}
    </>,
  )
}

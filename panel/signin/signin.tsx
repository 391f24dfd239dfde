import { lazy, useState } from 'react'
import { clearSession, session, type System } from '../app/session.ts'
import { t } from '../texts/texts.ts'
import { Notice } from '../ui/notice.tsx'
import { SignInFrame } from './frame.tsx'
import { Login } from './login.tsx'
import { leaveLink, linkPage } from './pages.ts'
import { linkToken } from './token.ts'

// Lazy, because these are rarely needed.
const Install = lazy(async () => ({ default: (await import('./install.tsx')).Install }))
const Forgotten = lazy(async () => ({ default: (await import('./forgotten.tsx')).Forgotten }))
const ResetForm = lazy(async () => ({ default: (await import('./forgotten.tsx')).ResetForm }))
const Invite = lazy(async () => ({ default: (await import('./invite.tsx')).Invite }))
const ConfirmEmail = lazy(async () => ({ default: (await import('./email.tsx')).ConfirmEmail }))
const ForcedSetup = lazy(async () => ({ default: (await import('./forced-setup.tsx')).ForcedSetup }))

/** All screens before the panel: sign-in, and the targets of links in e-mails and in the terminal. */
export function SignIn({ system }: { system: System }) {
  const state = session.use()
  const [page, setPage] = useState(linkPage)
  const [forgotten, setForgotten] = useState(false)
  const [email, setEmail] = useState('')
  const [doneText, setDoneText] = useState<'signin.reset.done' | 'signin.invite.done' | 'signin.emailConfirm.done'>()

  /** Returns to the sign-in form with a message. */
  function done(text: typeof doneText): void {
    leaveLink()
    setPage(undefined)
    setForgotten(false)
    setDoneText(text)
    if (session.get().status === 'in') void clearSession()
  }
  const askAgain = () => {
    leaveLink()
    setPage(undefined)
    setForgotten(true)
  }

  if (!system.isInstalled) return <Install system={system} />
  if (page === 'invite') return <Invite system={system} onDone={() => done('signin.invite.done')} />
  if (page === 'reset') {
    const [challenge, token] = linkToken?.split('.') ?? []
    return (
      <SignInFrame system={system} title={t('signin.reset.title')} text={t('signin.reset.link')}>
        {challenge && token ? (
          <ResetForm challenge={challenge} token={token} onDone={() => done('signin.reset.done')} onAgain={askAgain} />
        ) : (
          <Notice tone="warn">{t('signin.reset.noToken')}</Notice>
        )}
      </SignInFrame>
    )
  }
  if (state.status === 'in') {
    const { mustChangePassword, mustEnrolSecondFactor } = state.session
    if (mustChangePassword || mustEnrolSecondFactor) return <ForcedSetup system={system} />
    return <ConfirmEmail system={system} onDone={() => done('signin.emailConfirm.done')} />
  }
  if (forgotten) {
    const finish = (address: string) => {
      setEmail(address)
      done('signin.reset.done')
    }
    return <Forgotten system={system} email={email} onDone={finish} onBack={() => setForgotten(false)} />
  }
  const expired = state.status === 'out' && state.reason === 'expired'
  const word =
    doneText ??
    (page === 'email' ? 'signin.emailConfirm.first' : undefined) ??
    (page === 'install' ? 'signin.install.done' : undefined) ??
    (expired ? 'signin.expired' : undefined)
  return (
    <Login
      system={system}
      email={email}
      notice={
        word && (
          <Notice tone={doneText ? 'good' : 'neutral'} live={doneText !== undefined}>
            {t(word)}
          </Notice>
        )
      }
      onForgotten={typed => {
        setEmail(typed)
        setDoneText(undefined)
        setForgotten(true)
      }}
    />
  )
}

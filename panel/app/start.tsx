import { lazy, Suspense } from 'react'
import { Lock, LogOut, RotateCw, Unplug } from 'lucide-react'
import { leaveLink, linkPage } from '../signin/pages.ts'
import { t, useLanguage } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { UiProvider } from '../ui/ui-provider.tsx'
import { errorText } from './errors.ts'
import { signInRequest } from './sign-in-request.ts'
import { loadApp, loadShell } from './load-app.ts'
import { loadSignIn } from './load-sign-in.ts'
import { loadTexts } from './load-texts.ts'
import { loadSession, session, signOut } from './session.ts'
import { translatedUiTexts } from './ui-texts.ts'

const SignIn = lazy(async () => ({ default: (await loadSignIn()).SignIn }))

const EarlyShell = lazy(async () => ({ default: (await loadShell()).EarlyShell }))

const App = lazy(async () => ({ default: (await loadApp()).App }))

const SignInAgain = lazy(async () => ({
  default: (await Promise.all([import('../signin/sign-in-again.tsx'), loadTexts()]))[0].SignInAgain,
}))

/** The sign-in form or the panel. A change of language renders everything again. */
export function Start() {
  const { code, direction } = useLanguage()
  const request = signInRequest.use()
  return (
    <UiProvider key={code} direction={direction} locale={code} texts={translatedUiTexts()}>
      <Suspense>
        <Entry />
      </Suspense>
      <Suspense>{request && <SignInAgain {...request} />}</Suspense>
    </UiProvider>
  )
}

function Entry() {
  const state = session.use()
  if (state.status === 'loading') return null
  if (state.status === 'failed') return <Unreachable error={state.error} />
  if (state.status === 'denied') return <NoAccess />
  if (state.status === 'out') return <SignIn system={state.system} />
  if (linkPage() === 'install') leaveLink() // already installed
  const { mustChangePassword, mustEnrolSecondFactor } = state.session
  const unfinished = mustChangePassword || mustEnrolSecondFactor || linkPage() !== undefined
  return unfinished ? (
    <SignIn system={state.system} />
  ) : (
    <Suspense fallback={<EarlyShell />}>
      <App />
    </Suspense>
  )
}

/** For an account that may sign in but not use the panel, such as one of a visitor of the site. */
function NoAccess() {
  return (
    <main className="grid min-h-dvh place-items-center">
      <h1 className="sr-only">{t('app.noAccess.title')}</h1>
      <EmptyState
        icon={Lock}
        text={t('app.noAccess.text')}
        action={
          <Button icon={LogOut} onClick={() => void signOut()}>
            {t('app.signOut')}
          </Button>
        }
      />
    </main>
  )
}

function Unreachable({ error }: { error: unknown }) {
  return (
    <main className="grid min-h-dvh place-items-center">
      <h1 className="sr-only">{t('app.failed.title')}</h1>
      <EmptyState
        icon={Unplug}
        tone="danger"
        text={errorText(error)}
        action={
          <Button icon={RotateCw} onClick={() => void loadSession()}>
            {t('action.retry')}
          </Button>
        }
      />
    </main>
  )
}

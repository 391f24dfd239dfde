import { useNavigate, useSearch } from '@tanstack/react-router'
import { Activity, KeyRound, MonitorSmartphone, ShieldCheck, UserRound } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { can, useSession } from '../app/session.ts'
import { account } from '../texts/en/account.ts'
import { addTexts, t } from '../texts/texts.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { Profile } from './profile.tsx'

addTexts(account)

const Security = lazy(async () => ({ default: (await import('./security.tsx')).Security }))
const OwnSessions = lazy(async () => ({ default: (await import('./sessions.tsx')).OwnSessions }))
const OwnTokens = lazy(async () => ({ default: (await import('./tokens.tsx')).OwnTokens }))
const Events = lazy(async () => ({ default: (await import('./activity.tsx')).Events }))

const accountTabs = {
  profile: { icon: UserRound, content: Profile },
  security: { icon: ShieldCheck, content: Security },
  sessions: { icon: MonitorSmartphone, content: OwnSessions },
  tokens: { icon: KeyRound, content: OwnTokens },
  activity: { icon: Activity, content: Events },
} as const
export type AccountTab = keyof typeof accountTabs

/** The user's own account. */
export function AccountScreen() {
  const { user } = useSession()
  const { tab = 'profile' } = useSearch({ from: '/account' })
  const navigate = useNavigate()
  useTitleAndBreadcrumb(t('account.title'), [{ text: t('account.title') }])
  const canManageSignIn = can(user, 'user.changePassword')
  const visibleTabs = (Object.keys(accountTabs) as AccountTab[]).filter(
    name => canManageSignIn || name === 'profile' || name === 'activity',
  )
  const current = visibleTabs.includes(tab) ? tab : 'profile'
  const { content: Content } = accountTabs[current]
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title={t('account.title')} />
      <Tabs
        label={t('account.title')}
        value={current}
        onChange={next => void navigate({ to: '/account', search: { tab: next }, replace: true })}
        tabs={visibleTabs.map(value => ({ value, text: t(`account.tab.${value}`), icon: accountTabs[value].icon }))}
      >
        <Suspense fallback={<Skeleton lines={4} />}>
          <Content />
        </Suspense>
      </Tabs>
    </div>
  )
}

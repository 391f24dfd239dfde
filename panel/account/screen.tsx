import { useNavigate, useSearch } from '@tanstack/react-router'
import { Activity, KeyRound, MonitorSmartphone, ShieldCheck, UserRound } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useFrame } from '../app/frame.ts'
import { can, useSession } from '../app/session.ts'
import { t } from '../texts/texts.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { Profile } from './profile.tsx'

const Security = lazy(async () => ({ default: (await import('./security.tsx')).Security }))
const Sessions = lazy(async () => ({ default: (await import('./sessions.tsx')).Sessions }))
const Tokens = lazy(async () => ({ default: (await import('./tokens.tsx')).Tokens }))
const Events = lazy(async () => ({ default: (await import('./activity.tsx')).Events }))

const parts = {
  profile: { icon: UserRound, shown: Profile },
  security: { icon: ShieldCheck, shown: Security },
  sessions: { icon: MonitorSmartphone, shown: Sessions },
  tokens: { icon: KeyRound, shown: Tokens },
  activity: { icon: Activity, shown: Events },
} as const
export type Part = keyof typeof parts

/** The user's own account. */
export function AccountScreen() {
  const { user } = useSession()
  const { tab = 'profile' } = useSearch({ from: '/account' })
  const navigate = useNavigate()
  useFrame(t('account.title'), [{ text: t('account.title') }])
  const signsIn = can(user, 'user.changePassword')
  const open = (Object.keys(parts) as Part[]).filter(part => signsIn || part === 'profile' || part === 'activity')
  const current = open.includes(tab) ? tab : 'profile'
  const { shown: Shown } = parts[current]
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title={t('account.title')} />
      <Tabs
        label={t('account.title')}
        value={current}
        onChange={next => void navigate({ to: '/account', search: { tab: next }, replace: true })}
        tabs={open.map(value => ({ value, text: t(`account.tab.${value}`), icon: parts[value].icon }))}
      >
        <Suspense fallback={<Skeleton lines={4} />}>
          <Shown />
        </Suspense>
      </Tabs>
    </div>
  )
}

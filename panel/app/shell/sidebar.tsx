import { Link, useRouterState } from '@tanstack/react-router'
import { ChevronsUpDown, Search } from 'lucide-react'
import { cloneElement, lazy, Suspense, useState } from 'react'
import { t } from '../../texts/texts.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { cx } from '../../ui/cx.ts'
import { Kbd } from '../../ui/kbd.tsx'
import { base } from '../base.ts'
import { useSession } from '../session.ts'
import { shortcutLabel } from '../shortcuts.ts'
import { destinationsFor } from './destinations.ts'

/** Not needed to see where one can go. */
const UserMenu = lazy(async () => ({ default: (await import('./user-menu.tsx')).UserMenu }))

const row =
  'flex min-h-9 w-full items-center gap-2.5 rounded-md px-2.5 text-start text-muted transition-colors hover:bg-hover hover:text-ink'

export function Sidebar({ onSearch }: { onSearch: () => void }) {
  const { user, system } = useSession()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  return (
    <div className="flex h-full flex-col gap-4 p-3">
      <Link to="/" className="flex min-h-9 items-center gap-2.5 rounded-md px-2 font-semibold hover:bg-hover">
        <img src={`${base}/panel/icon.svg`} alt="" className="size-5 shrink-0" />
        <span className="min-w-0 truncate">{system.title}</span>
      </Link>
      <button type="button" className={cx(row, 'border border-line bg-surface')} onClick={onSearch}>
        <Search aria-hidden="true" />
        <span className="flex-1">{t('app.search')}</span>
        <Kbd keys={shortcutLabel('k')} />
      </button>
      <nav aria-label={t('app.navigation')}>
        <ul className="flex flex-col gap-0.5">
          {destinationsFor(user).map(({ to, label, icon: Icon, within }) => (
            <li key={to}>
              <Link
                to={to}
                aria-current={within.test(path) ? 'page' : undefined}
                className={cx(
                  row,
                  'aria-[current=page]:bg-pressed aria-[current=page]:font-medium aria-[current=page]:text-ink',
                )}
              >
                <Icon aria-hidden="true" />
                {t(label)}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="mt-auto">
        <Person />
      </div>
    </div>
  )
}

function Person() {
  const { user } = useSession()
  const name = user.name || user.email
  const trigger = (
    <button type="button" aria-haspopup="menu" className={cx(row, 'min-h-11 data-popup-open:bg-hover')}>
      <Avatar name={name} url={user.avatar?.url} size="small" />
      <span className="min-w-0 flex-1 truncate text-ink">{name}</span>
      <ChevronsUpDown aria-hidden="true" className="text-faint" />
    </button>
  )
  // Pressed before the menu is there: it opens when it is.
  const [isAsked, setAsked] = useState(false)
  return (
    <Suspense fallback={cloneElement(trigger, { onClick: () => setAsked(true) })}>
      <UserMenu trigger={trigger} startOpen={isAsked} />
    </Suspense>
  )
}

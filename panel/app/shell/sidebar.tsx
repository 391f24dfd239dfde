import { ChevronsUpDown, Search } from 'lucide-react'
import type { ComponentProps, ComponentType, ReactElement, ReactNode } from 'react'
import { t } from '../../texts/texts.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { cx } from '../../ui/cx.ts'
import { Kbd } from '../../ui/kbd.tsx'
import { base } from '../base.ts'
import { useSession } from '../session.ts'
import { shortcutLabel } from '../shortcuts.ts'
import { type Destination, destinationsFor } from './destinations.ts'

const row =
  'flex min-h-9 w-full items-center gap-2.5 rounded-md px-2.5 text-start text-muted transition-colors hover:bg-hover hover:text-ink'

export interface SidebarLinkProps {
  to: Destination['to'] | '/'
  className: string
  'aria-current'?: 'page' | undefined
  children: ReactNode
}

interface Props {
  /** The current path, relative to `/panel`. */
  path: string
  /** The link component of the router, or a plain link until the router is loaded. */
  link: ComponentType<SidebarLinkProps>
  onSearch: () => void
  /** Called when the name is pressed, as long as there is no `userMenu`. */
  onUser?: () => void
  userMenu?: (trigger: ReactElement<Record<string, unknown>>) => ReactNode
}

export function Sidebar({ path, link: Link, onSearch, onUser, userMenu }: Props) {
  const { user, system } = useSession()
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
          {destinationsFor(user).map(({ to, text, icon: Icon, activePaths }) => (
            <li key={to}>
              <Link
                to={to}
                aria-current={activePaths.test(path) ? 'page' : undefined}
                className={cx(
                  row,
                  'aria-[current=page]:bg-pressed aria-[current=page]:font-medium aria-[current=page]:text-ink',
                )}
              >
                <Icon aria-hidden="true" />
                {text}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="mt-auto">{userMenu ? userMenu(<UserButton />) : <UserButton onClick={onUser} />}</div>
    </div>
  )
}

function UserButton(props: ComponentProps<'button'>) {
  const { user } = useSession()
  const name = user.name || user.email
  return (
    <button type="button" aria-haspopup="menu" className={cx(row, 'min-h-11 data-popup-open:bg-hover')} {...props}>
      <Avatar name={name} url={user.avatar?.url} size="small" />
      <span className="min-w-0 flex-1 truncate text-ink">{name}</span>
      <ChevronsUpDown aria-hidden="true" className="text-faint" />
    </button>
  )
}

import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router'
import { cloneElement, lazy, type ReactElement, Suspense, useEffect, useRef, useState } from 'react'
import { t } from '../../texts/texts.ts'
import { Breadcrumb } from '../../ui/breadcrumb.tsx'
import { crumbs, openPage } from '../title.ts'
import { loadTexts } from '../load-texts.ts'
import { useSession } from '../session.ts'
import { useCharacter, useShortcut } from '../shortcuts.ts'
import { ShellLayout } from './layout.tsx'
import { Offline } from './offline.tsx'
import { Sidebar, type SidebarLinkProps } from './sidebar.tsx'
import { consumeEarlyClick } from './early-click.ts'

const Drawer = lazy(async () => ({ default: (await import('../../ui/drawer.tsx')).Drawer }))
const LanguageSwitch = lazy(async () => ({ default: (await import('./language-switch.tsx')).LanguageSwitch }))
const Palette = lazy(async () => ({
  default: (await Promise.all([import('../../search/palette.tsx'), loadTexts()]))[0].Palette,
}))
const ShortcutsDialog = lazy(async () => ({
  default: (await Promise.all([import('../shortcuts-dialog.tsx'), loadTexts()]))[0].ShortcutsDialog,
}))
/** Lazy, because the navigation does not need it. */
const UserMenu = lazy(async () => ({ default: (await import('./user-menu.tsx')).UserMenu }))

/** The frame of every screen: navigation at the side, breadcrumb at the top. */
export function Shell() {
  const [menu, setMenu] = useState(() => consumeEarlyClick('menu'))
  /** True once the menu was opened. It then stays mounted, so that the drawer can animate when it closes. */
  const [hasMenu, setHasMenu] = useState(menu)
  const [searching, setSearching] = useState(() => consumeEarlyClick('search'))
  const [hasShortcuts, setHasShortcuts] = useState(false)
  const main = useRef<HTMLElement>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const breadcrumb = crumbs.use()
  useEvents()
  useShortcut('k', () => setSearching(true))
  useCharacter('?', () => setHasShortcuts(true))
  useArrival(() => {
    setMenu(false)
    main.current?.focus({ preventScroll: true })
  })

  function openMenu() {
    setHasMenu(true)
    setMenu(true)
  }

  const search = () => {
    setMenu(false)
    setSearching(true)
  }

  const sidebar = (
    <Sidebar
      path={path}
      link={RouterLink}
      onSearch={search}
      userMenu={trigger => <UserMenuTrigger trigger={trigger} />}
    />
  )

  return (
    <>
      <ShellLayout
        sidebar={sidebar}
        top={
          <>
            <div className="min-w-0 flex-1">{breadcrumb.length > 0 && <Breadcrumb crumbs={breadcrumb} />}</div>
            <Suspense>
              <LanguageSwitch />
            </Suspense>
          </>
        }
        notice={<Offline />}
        main={main}
        onMenu={openMenu}
        onSearch={search}
      >
        <Suspense>
          <Outlet />
        </Suspense>
      </ShellLayout>
      {hasMenu && (
        <Suspense>
          <Drawer bare side="start" size="narrow" title={t('app.menu')} open={menu} onClose={() => setMenu(false)}>
            {sidebar}
          </Drawer>
        </Suspense>
      )}
      {searching && (
        <Suspense>
          <Palette onClose={() => setSearching(false)} onShortcuts={() => setHasShortcuts(true)} />
        </Suspense>
      )}
      {hasShortcuts && (
        <Suspense>
          <ShortcutsDialog onClose={() => setHasShortcuts(false)} />
        </Suspense>
      )}
    </>
  )
}

/** In ms: what the screen needs is loaded first. */
const followAfterMs = 3000

/** Reloads what others change, while the panel is open. A page that is open shows at once who else has opened it. */
function useEvents(): void {
  const { user } = useSession()
  useEffect(() => {
    let stop = () => {}
    let isStopped = false
    let isFollowing = false
    const follow = () => {
      if (isFollowing) return
      isFollowing = true
      void import('../../activity/live.ts').then(({ followEvents }) => {
        if (!isStopped) stop = followEvents(user.id)
      })
    }
    const timer = setTimeout(follow, followAfterMs)
    const followOpenPage = () => openPage.get() !== null && follow()
    const unsubscribe = openPage.subscribe(followOpenPage)
    followOpenPage()
    return () => {
      isStopped = true
      clearTimeout(timer)
      unsubscribe()
      stop()
    }
  }, [user.id])
}

const RouterLink = ({ to, ...props }: SidebarLinkProps) => <Link {...props} to={to as '/'} />

function UserMenuTrigger({ trigger }: { trigger: ReactElement<Record<string, unknown>> }) {
  // If the button is pressed before the menu is loaded, the menu opens as soon as it is.
  const [isOpen, setOpen] = useState(() => consumeEarlyClick('user'))
  return (
    <Suspense fallback={cloneElement(trigger, { onClick: () => setOpen(true) })}>
      <UserMenu trigger={trigger} startOpen={isOpen} />
    </Suspense>
  )
}

/** Calls back after navigation to another path, to move the focus, so that screen readers announce the new screen. */
function useArrival(arrived: () => void): void {
  const router = useRouter()
  const latest = useRef(arrived)
  useEffect(() => {
    latest.current = arrived
  })
  useEffect(
    () =>
      router.subscribe('onResolved', ({ fromLocation, pathChanged }) => {
        if (fromLocation && pathChanged) latest.current()
      }),
    [router],
  )
}

import { Outlet, useRouter } from '@tanstack/react-router'
import { Menu as MenuIcon, Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { t } from '../../texts/texts.ts'
import { Breadcrumb } from '../../ui/breadcrumb.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { crumbs } from '../frame.ts'
import { loadTexts } from '../load-texts.ts'
import { useShortcut } from '../shortcuts.ts'
import { Offline } from './offline.tsx'
import { Sidebar } from './sidebar.tsx'

const Drawer = lazy(async () => ({ default: (await import('../../ui/drawer.tsx')).Drawer }))
const LanguageSwitch = lazy(async () => ({ default: (await import('./language-switch.tsx')).LanguageSwitch }))
const Palette = lazy(async () => ({
  default: (await Promise.all([import('../../search/palette.tsx'), loadTexts()]))[0].Palette,
}))

/** The frame of every screen: where one can go at the start, where one is at the top. */
export function Shell() {
  const [menu, setMenu] = useState(false)
  /** It has been opened: from then on it is there, so that it can also go. */
  const [hasMenu, setHasMenu] = useState(false)
  const [searching, setSearching] = useState(false)
  const main = useRef<HTMLElement>(null)
  const way = crumbs.use()
  useShortcut('k', () => setSearching(true))
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

  return (
    <div className="flex min-h-dvh">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-raised px-3 py-2 focus:not-sr-only focus:fixed focus:start-3 focus:top-3"
      >
        {t('app.skip')}
      </a>
      <aside className="sticky top-0 hidden h-dvh w-60 shrink-0 border-e lg:block">
        <Sidebar onSearch={search} />
      </aside>
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="sticky top-0 z-10 flex min-h-12 items-center gap-1 border-b bg-canvas px-2 py-1.5 sm:px-4 lg:px-6">
          <IconButton className="lg:hidden" label={t('app.menu')} icon={MenuIcon} onClick={openMenu} />
          <div className="min-w-0 flex-1">{way.length > 0 && <Breadcrumb crumbs={way} />}</div>
          <Suspense>
            <LanguageSwitch />
          </Suspense>
          <IconButton className="lg:hidden" label={t('app.search')} icon={Search} onClick={search} />
        </header>
        <Offline />
        <main
          ref={main}
          id="content"
          tabIndex={-1}
          className="mx-auto w-full max-w-7xl flex-1 px-4 py-6 outline-none sm:px-6 lg:px-8"
        >
          <Suspense>
            <Outlet />
          </Suspense>
        </main>
      </div>
      {hasMenu && (
        <Suspense>
          <Drawer bare side="start" size="narrow" title={t('app.menu')} open={menu} onClose={() => setMenu(false)}>
            <Sidebar onSearch={search} />
          </Drawer>
        </Suspense>
      )}
      {searching && (
        <Suspense>
          <Palette onClose={() => setSearching(false)} />
        </Suspense>
      )}
    </div>
  )
}

/** Those who do not see the screen learn that it is another one: the focus goes there. */
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

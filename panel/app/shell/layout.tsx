import { Menu as MenuIcon, Search } from 'lucide-react'
import type { ReactNode, Ref } from 'react'
import { t } from '../../texts/texts.ts'
import { IconButton } from '../../ui/icon-button.tsx'

interface Props {
  sidebar: ReactNode
  /** In the top bar: the breadcrumb. */
  top?: ReactNode
  /** Between the top bar and the screen. */
  notice?: ReactNode
  main?: Ref<HTMLElement>
  onMenu: () => void
  onSearch: () => void
  children: ReactNode
}

/** The layout of the shell, used before and after the router is loaded. */
export function ShellLayout({ sidebar, top, notice, main, onMenu, onSearch, children }: Props) {
  return (
    <div className="flex min-h-dvh">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-raised px-3 py-2 focus:not-sr-only focus:fixed focus:start-3 focus:top-3"
      >
        {t('app.skip')}
      </a>
      <aside className="sticky top-0 hidden h-dvh w-60 shrink-0 border-e lg:block">{sidebar}</aside>
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="sticky top-0 z-10 flex min-h-12 items-center gap-1 border-b bg-canvas px-2 py-1.5 sm:px-4 lg:px-6">
          <IconButton className="lg:hidden" label={t('app.menu')} icon={MenuIcon} onClick={onMenu} />
          {top ?? <div className="flex-1" />}
          <IconButton className="lg:hidden" label={t('app.search')} icon={Search} onClick={onSearch} />
        </header>
        {notice}
        <main
          ref={main}
          id="content"
          tabIndex={-1}
          className="mx-auto w-full max-w-7xl flex-1 has-data-wide:max-w-none px-4 py-6 outline-none sm:px-6 lg:px-8"
        >
          {children}
        </main>
      </div>
    </div>
  )
}

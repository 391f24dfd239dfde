import { EditorSkeleton } from '../../editor/editor-skeleton.tsx'
import { base } from '../base.ts'
import { useShortcut } from '../shortcuts.ts'
import { ShellLayout } from './layout.tsx'
import { Sidebar, type SidebarLinkProps } from './sidebar.tsx'
import { recordEarlyClick } from './early-click.ts'

const root = `${base}/panel`
const search = () => recordEarlyClick('search')

/**
 * The shell while the router and the screen load. Its links work; menus and search open as soon as their code is
 * loaded.
 */
export function EarlyShell() {
  useShortcut('k', search)
  return (
    <ShellLayout
      sidebar={
        <Sidebar
          path={location.pathname.slice(root.length)}
          link={PlainLink}
          onSearch={search}
          onUser={() => recordEarlyClick('user')}
        />
      }
      onMenu={() => recordEarlyClick('menu')}
      onSearch={search}
    >
      <EditorSkeleton />
    </ShellLayout>
  )
}

function PlainLink({ to, children, ...rest }: SidebarLinkProps) {
  return (
    <a href={root + to} {...rest}>
      {children}
    </a>
  )
}

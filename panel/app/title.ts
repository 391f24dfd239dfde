import { useEffect } from 'react'
import type { Crumb } from '../ui/breadcrumb.tsx'
import { session } from './session.ts'
import { createStore } from './store.ts'

/** The breadcrumb in the top bar. */
export const crumbs = createStore<readonly Crumb[]>([])

/** The id of the page that is open in this tab; null until its form is loaded. */
export const openPage = createStore<string | null>(null)

/**
 * Sets the title of the window and the breadcrumb:
 * `useTitleAndBreadcrumb(page.title, [{ text: 'Site', render: <Link to="/site" /> }, …])`.
 */
export function useTitleAndBreadcrumb(title: string | undefined, trail: readonly Crumb[] = []): void {
  const name = useName(title)
  const trailTexts = trail.map(({ text }) => text).join('\n')
  useEffect(() => {
    document.title = name
  }, [name])
  useEffect(() => {
    crumbs.set(trail)
    return () => crumbs.set([])
    // The elements are new with every render, so their texts are compared instead.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [trailTexts])
}

/** Sets the title of the window until the component unmounts. */
export function useWindowTitle(title: string): void {
  const name = useName(title)
  useEffect(() => {
    const before = document.title
    document.title = name
    return () => {
      document.title = before
    }
  }, [name])
}

function useName(title: string | undefined): string {
  const state = session.use()
  const site = 'system' in state ? state.system.title : undefined
  return [title, site].filter(Boolean).join(' · ') || 'Quoin'
}

import { useEffect } from 'react'
import type { Crumb } from '../ui/breadcrumb.tsx'
import { session } from './session.ts'
import { createStore } from './store.ts'

/** The way to where one is, shown in the bar at the top. */
export const crumbs = createStore<readonly Crumb[]>([])

/** What the window is called, and the way here: `useFrame(page.title, [{ text: 'Site', render: <Link to="/site" /> }, …])`. */
export function useFrame(title: string | undefined, way: readonly Crumb[] = []): void {
  const name = useName(title)
  const shown = way.map(({ text }) => text).join('\n')
  useEffect(() => {
    document.title = name
  }, [name])
  useEffect(() => {
    crumbs.set(way)
    return () => crumbs.set([])
    // The elements are new every time; what counts is what they say.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [shown])
}

/** What the window is called while something else is in place of a screen. */
export function useTitleMeanwhile(title: string): void {
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

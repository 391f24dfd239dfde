import { readPageEarly } from '../pages/page.ts'
import { base } from './base.ts'
import { contentLanguage } from './content-language.ts'
import { session } from './session.ts'

export const loadPageScreen = () => import('../pages/screen.tsx')

/** Which page the panel is opened with, if with one. */
function openedPage(): string | undefined {
  const [, id] = /^\/panel\/pages\/([^/]+)\/?$/.exec(location.pathname.slice(base.length)) ?? []
  try {
    return id === undefined ? undefined : decodeURIComponent(id)
  } catch {
    return undefined // the router says what is wrong with it
  }
}

/** Before the router is loaded: what the screen of a page needs is asked for at the same time as the code of the panel. */
export function loadOpenedScreen(): void {
  if (openedPage() !== undefined) loadPageScreen().catch(() => {}) // tried again when it is shown
}

export function readOpenedPage(): void {
  const id = openedPage()
  if (id === undefined || session.get().status !== 'in') return
  readPageEarly(id, contentLanguage(new URLSearchParams(location.search).get('language') ?? undefined)?.code)
}

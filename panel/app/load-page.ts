import { readPageEarly } from '../pages/page.ts'
import { base } from './base.ts'
import { contentLanguage } from './content-language.ts'
import { session } from './session.ts'

export const loadPageScreen = () => import('../pages/screen.tsx')

/** The id of the page in the URL with which the panel was opened. */
function openedPageId(): string | undefined {
  const [, id] = /^\/panel\/pages\/([^/]+)\/?$/.exec(location.pathname.slice(base.length)) ?? []
  try {
    return id === undefined ? undefined : decodeURIComponent(id)
  } catch {
    return undefined // the router reports the invalid URL
  }
}

/** Loads the code of the page screen in parallel with the code of the panel, before the router is loaded. */
export function loadOpenedScreen(): void {
  if (openedPageId() !== undefined) loadPageScreen().catch(() => {}) // retried when the screen is rendered
}

export function readOpenedPage(): void {
  const id = openedPageId()
  if (id === undefined || session.get().status !== 'in') return
  readPageEarly(id, contentLanguage(new URLSearchParams(location.search).get('language') ?? undefined)?.code)
}

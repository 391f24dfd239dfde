// oxlint-disable-next-line import/no-unassigned-import -- a style sheet
import './panel.css'
import { createRoot } from 'react-dom/client'
import { knownLanguage } from './app/early.ts'
import { loadApp, loadShell } from './app/load-app.ts'
import { loadOpenedScreen, readOpenedPage } from './app/load-page.ts'
import { loadSignIn } from './app/load-sign-in.ts'
import { loadSession } from './app/session.ts'
import { Start } from './app/start.tsx'
import { common } from './texts/en/common.ts'
import { addTexts, prefetchTexts } from './texts/texts.ts'

addTexts(common)

// A chunk of a replaced release is missing. A reload loads the new release.
addEventListener('vite:preloadError', event => {
  const tried = 'quoin.reloaded'
  if (sessionStorage.getItem(tried) === document.title) return
  sessionStorage.setItem(tried, document.title)
  event.preventDefault()
  location.reload()
})

// Otherwise the browser would open a dropped file in place of the panel.
for (const type of ['dragover', 'drop'] as const)
  addEventListener(type, event => {
    const types = event.dataTransfer?.types ?? []
    const takesText = event.target instanceof Element && event.target.closest('input, textarea, [contenteditable=true]')
    const leaves = types.includes('Files') || (types.includes('text/uri-list') && !takesText)
    if (event.defaultPrevented || !leaves) return
    event.preventDefault()
    event.dataTransfer!.dropEffect = 'none'
  })

// Loads the probable next screen while the server checks the session. If that fails, it is retried when needed.
const language = knownLanguage()
if (language === null) loadSignIn().catch(() => {})
else {
  prefetchTexts(language)
  loadShell().catch(() => {})
  loadApp().catch(() => {})
  loadOpenedScreen()
}

createRoot(document.querySelector('#root')!).render(<Start />)
void loadSession().then(readOpenedPage)

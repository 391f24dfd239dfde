// oxlint-disable-next-line import/no-unassigned-import -- a style sheet
import './panel.css'
import { createRoot } from 'react-dom/client'
import { loadSession } from './app/session.ts'
import { Start } from './app/start.tsx'
import { common } from './texts/en/common.ts'
import { signin } from './texts/en/signin.ts'
import { addTexts } from './texts/texts.ts'

addTexts({ ...common, ...signin })

// A file of a release that has been replaced meanwhile: the page is as old as it, and a new one knows the new names.
addEventListener('vite:preloadError', event => {
  const tried = 'quoin.reloaded'
  if (sessionStorage.getItem(tried) === document.title) return
  sessionStorage.setItem(tried, document.title)
  event.preventDefault()
  location.reload()
})

createRoot(document.querySelector('#root')!).render(<Start />)
void loadSession()

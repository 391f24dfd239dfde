import { createStore } from './store.ts'

export type Theme = 'system' | 'light' | 'dark'
const storageKey = 'quoin.theme' // early.js reads it before the first paint

function read(): Theme {
  const stored = document.documentElement.dataset['theme']
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export const theme = createStore<Theme>(read())

export function setTheme(chosen: Theme): void {
  if (chosen === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = chosen
  try {
    if (chosen === 'system') localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, chosen)
  } catch {
    // Without local storage, as in some private windows, the theme applies until the page is reloaded.
  }
  theme.set(chosen)
}

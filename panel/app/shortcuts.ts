import { useEffect, useEffectEvent } from 'react'

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)

/** The label of a shortcut: `⌘K` or `Ctrl K`. */
export const shortcutLabel = (key: string): string => (isMac ? `⌘${key.toUpperCase()}` : `Ctrl ${key.toUpperCase()}`)

/** Handles ⌘ or Ctrl with a key, wherever the focus is. */
export function useShortcut(key: string, run: (event: KeyboardEvent) => void): void {
  const onPress = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== key || !(isMac ? event.metaKey : event.ctrlKey) || event.altKey || event.shiftKey)
      return
    event.preventDefault()
    run(event)
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onPress(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

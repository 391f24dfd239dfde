import { useEffect, useEffectEvent } from 'react'

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)

/** The label of a shortcut: `⌘K` or `Ctrl K`. */
export const shortcutLabel = (key: string): string => (isMac ? `⌘${key.toUpperCase()}` : `Ctrl ${key.toUpperCase()}`)

const macKeys: Record<string, string> = { Ctrl: '⌘', Alt: '⌥', Shift: '⇧' }

/** The keys of a shortcut, as the user's keyboard names them: `Ctrl Shift D` or `⌘ ⇧ D`. */
export const keyLabels = (keys: string): string =>
  isMac ? keys.replaceAll(/Ctrl|Alt|Shift/g, key => macKeys[key]!) : keys

/** Handles a single character, unless it is typed into a text. */
export function useCharacter(character: string, run: () => void): void {
  const onPress = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== character || event.ctrlKey || event.metaKey || event.altKey || isText(event.target)) return
    if (document.querySelector('[role=dialog],[role=alertdialog]')) return
    event.preventDefault()
    run()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onPress(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

const isText = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

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

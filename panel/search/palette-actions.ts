import { useEffect, useRef } from 'react'
import type { Icon } from '../ui/icon.ts'

/** An action of the current screen that the command palette also offers. */
export interface PaletteAction {
  text: string
  icon?: Icon | undefined
  /** Title of the resource that it applies to. */
  subject?: string | undefined
  run: () => void
}

const registered = new Set<{ current: readonly PaletteAction[] }>()

export function usePaletteActions(actions: readonly PaletteAction[]): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    registered.add(latest)
    return () => void registered.delete(latest)
  }, [])
}

export const currentPaletteActions = (): PaletteAction[] => [...registered].flatMap(({ current }) => current)

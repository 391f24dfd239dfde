import { useEffect, useRef } from 'react'
import type { Icon } from '../ui/icon.ts'

/** Something that can be done on the screen that is shown, offered by the palette, too. */
export interface Action {
  text: string
  icon?: Icon | undefined
  /** What it is done to. */
  about?: string | undefined
  run: () => void
}

const offered = new Set<{ current: readonly Action[] }>()

export function useActions(actions: readonly Action[]): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    offered.add(latest)
    return () => void offered.delete(latest)
  }, [])
}

export const actionsNow = (): Action[] => [...offered].flatMap(({ current }) => current)

import { useSyncExternalStore } from 'react'
import type { BlockValue } from './block-value.ts'
import type { Active } from './kind.ts'

/**
 * The current blocks and the text that is being edited. Each block subscribes to its own part, so that typing renders
 * one block, not the list.
 */
export interface ActiveText {
  set: (blocks: readonly BlockValue[]) => void
  activate: (next: Active | undefined | ((now: Active | undefined) => Active | undefined)) => void
  useBlock: (initial: BlockValue) => BlockValue
  useActive: (id: string) => Active | undefined
}

export function createActiveText(): ActiveText {
  let list: readonly BlockValue[] = []
  let blocks: ReadonlyMap<string, BlockValue> = new Map()
  let active: Active | undefined
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const notify = () => {
    for (const listener of listeners) listener()
  }
  return {
    set(next) {
      if (next === list) return
      list = next
      blocks = new Map(next.map(block => [block.id, block]))
      notify()
    },
    activate(next) {
      active = typeof next === 'function' ? next(active) : next
      notify()
    },
    useBlock: initial => useSyncExternalStore(subscribe, () => blocks.get(initial.id) ?? initial),
    useActive: id => useSyncExternalStore(subscribe, () => (active?.block === id ? active : undefined)),
  }
}

import { useSyncExternalStore } from 'react'
import type { BlockValue } from './block-value.ts'
import type { Active } from './kind.ts'

/** What the blocks of a list hold, and which text is written: what a key changes is drawn by one block, not by the list. */
export interface Live {
  set: (blocks: readonly BlockValue[]) => void
  activate: (next: Active | undefined | ((now: Active | undefined) => Active | undefined)) => void
  useBlock: (known: BlockValue) => BlockValue
  useActive: (id: string) => Active | undefined
}

export function createLive(): Live {
  let list: readonly BlockValue[] = []
  let blocks: ReadonlyMap<string, BlockValue> = new Map()
  let active: Active | undefined
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const tell = () => {
    for (const listener of listeners) listener()
  }
  return {
    set(next) {
      if (next === list) return
      list = next
      blocks = new Map(next.map(block => [block.id, block]))
      tell()
    },
    activate(next) {
      active = typeof next === 'function' ? next(active) : next
      tell()
    },
    useBlock: known => useSyncExternalStore(subscribe, () => blocks.get(known.id) ?? known),
    useActive: id => useSyncExternalStore(subscribe, () => (active?.block === id ? active : undefined)),
  }
}

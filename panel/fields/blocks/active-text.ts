import { useSyncExternalStore } from 'react'
import type { BlockValue } from './block-value.ts'
import type { TextCaret } from './block-actions.ts'
import { type BlockSelection, selectedIn } from './selection.ts'

/**
 * The current blocks, and the text that is being edited or the blocks that are selected. Each block subscribes to its own part, so that typing renders
 * one block, not the list.
 */
export interface ActiveText {
  set: (blocks: readonly BlockValue[]) => void
  activate: (next: TextCaret | undefined | ((now: TextCaret | undefined) => TextCaret | undefined)) => void
  useBlock: (initial: BlockValue) => BlockValue
  useActive: (id: string) => TextCaret | undefined
  active: () => TextCaret | undefined
  select: (selection: BlockSelection | undefined) => void
  selection: () => BlockSelection | undefined
  useSelected: (id: string) => boolean
  useSelectedCount: () => number
}

export function createActiveText(): ActiveText {
  let list: readonly BlockValue[] = []
  let blocks: ReadonlyMap<string, BlockValue> = new Map()
  let active: TextCaret | undefined
  let selection: BlockSelection | undefined
  let selected: ReadonlySet<string> = new Set()
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const notify = () => {
    for (const listener of listeners) listener()
  }
  const unselect = () => {
    selection = undefined
    selected = new Set()
  }
  return {
    set(next) {
      if (next === list) return
      list = next
      blocks = new Map(next.map(block => [block.id, block]))
      if (selection) selected = new Set(selectedIn(list, selection))
      notify()
    },
    activate(next) {
      active = typeof next === 'function' ? next(active) : next
      if (active) unselect()
      notify()
    },
    select(next) {
      selection = next
      selected = new Set(selectedIn(list, next))
      notify()
    },
    active: () => active,
    selection: () => selection,
    useBlock: initial => useSyncExternalStore(subscribe, () => blocks.get(initial.id) ?? initial),
    useActive: id => useSyncExternalStore(subscribe, () => (active?.block === id ? active : undefined)),
    useSelected: id => useSyncExternalStore(subscribe, () => selected.has(id)),
    useSelectedCount: () => useSyncExternalStore(subscribe, () => selected.size),
  }
}

import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Item, ItemSelection } from './item.ts'

export interface ListSelection<Row extends Item> extends ItemSelection<Row> {
  isOn: boolean
  /** What is selected, also on other pages of the list, in the order of selection. */
  items: readonly Row[]
  start: () => void
  end: () => void
  /** Keeps only these selected. Ends if there are none. */
  keep: (ids: readonly string[]) => void
}

/** Several items of a list are selected. Ctrl A selects all that are shown, Escape ends it. */
export function useSelection<Row extends Item>(
  shownItems: readonly Row[],
  frame: RefObject<HTMLElement | null>,
): ListSelection<Row> {
  const [isOn, setOn] = useState(false)
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map())
  const anchor = useRef<string>(undefined)

  function set(items: readonly Row[], isSelected: boolean) {
    setChosen(before => {
      const next = new Map(before)
      for (const item of items)
        if (isSelected) next.set(item.id, item)
        else next.delete(item.id)
      return next
    })
  }

  function toggle(item: Row, isRange: boolean) {
    const to = shownItems.findIndex(({ id }) => id === item.id)
    const from = isRange ? shownItems.findIndex(({ id }) => id === anchor.current) : to
    const isSelected = isRange && from >= 0 ? chosen.has(anchor.current!) : !chosen.has(item.id)
    set(from < 0 ? [item] : shownItems.slice(Math.min(from, to), Math.max(from, to) + 1), isSelected)
    anchor.current = item.id
  }

  function end() {
    setOn(false)
    setChosen(new Map())
    anchor.current = undefined
  }

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || !isForList(event.target as Element, frame.current)) return
    if (event.key === 'Escape') end()
    else if (event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey)) set(shownItems, true)
    else return
    event.preventDefault()
  })
  useEffect(() => {
    if (!isOn) return undefined
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isOn])

  return {
    isOn,
    items: [...chosen.values()],
    selected: new Set(chosen.keys()),
    set,
    toggle,
    start: () => setOn(true),
    end,
    keep: ids => {
      if (ids.length === 0) end()
      else setChosen(before => new Map([...before].filter(([id]) => ids.includes(id))))
    },
  }
}

/** Keys without a focus, or in the list. Text inputs have their own Ctrl A. */
function isForList(target: Element, frame: Element | null): boolean {
  if (target === document.body) return true
  return frame?.contains(target) === true && !target.closest('input:not([type=checkbox]), textarea')
}

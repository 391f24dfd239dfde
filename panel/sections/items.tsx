import { type ReactNode, useRef } from 'react'
import type { Icon } from '../ui/icon.ts'
import { Cards } from './cards.tsx'
import type { Item, ListOptions, ItemSelection, Sorting } from './item.ts'
import { ItemRows } from './item-rows.tsx'
import { ItemTable } from './item-table.tsx'
import type { LayoutSelection } from './select-box.tsx'

interface Props<Row extends Item> {
  section: { data: Row[]; options: Pick<ListOptions, 'layout' | 'headline' | 'size' | 'columns'> }
  /** Number of items, from the first one, that can be sorted. */
  movable: number
  nameOf: (item: Row) => string
  onOrder: (items: Row[]) => void
  /** Set while items are selected instead of opened and sorted. */
  selection?: ItemSelection<Row> | undefined
  defaultIcon?: Icon | undefined
  after?: ((item: Row) => ReactNode) | undefined
  onHover?: ((item: Row) => void) | undefined
}

/** The items of a section in the layout of its blueprint: list, cards or table. All layouts are sortable. */
export function Items<Row extends Item>({ section, movable, nameOf, onOrder, selection, ...rest }: Props<Row>) {
  const { data: items, options } = section
  const { layout, headline: label, size, columns } = options
  const isShift = useRef(false)
  const sorting: Sorting<Row> = {
    keyOf: ({ id }) => id,
    nameOf,
    count: movable,
    disabled: movable < 2 || selection !== undefined,
    onChange: onOrder,
  }
  const selecting: LayoutSelection<Row> | undefined = selection && {
    selected: selection.selected,
    toggle: item => selection.toggle(item, isShift.current),
    change: selected => {
      const changed = items.find(({ id }) => selected.has(id) !== selection.selected.has(id))
      if (changed) selection.toggle(changed, isShift.current)
    },
  }
  const shared = { ...rest, items, label, sorting, selecting }
  return (
    <div
      // Before the click reaches a row or its checkbox, whose events do not all have the key.
      onClickCapture={event => void (isShift.current = event.shiftKey)}
      onMouseDown={event => {
        // Otherwise a click with Shift selects text.
        if (selecting && event.shiftKey) event.preventDefault()
      }}
    >
      {layout === 'table' ? (
        <ItemTable {...shared} columns={columns} />
      ) : layout === 'list' ? (
        <ItemRows {...shared} />
      ) : (
        <Cards {...shared} size={size} small={layout === 'cardlets'} />
      )}
    </div>
  )
}

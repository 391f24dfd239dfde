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
  sortableCount: number
  nameOf: (item: Row) => string
  onOrder: (items: Row[]) => void
  /** Set while a click on an item selects it. Then items cannot be opened or sorted. */
  selection?: ItemSelection<Row> | undefined
  defaultIcon?: Icon | undefined
  /** Content at the end of an item; in a table, in the column `flag`. */
  after?: ((item: Row) => ReactNode) | undefined
  onHover?: ((item: Row) => void) | undefined
}

/** The items of a section in the layout of its blueprint: list, cards or table. All layouts are sortable. */
export function Items<Row extends Item>({ section, sortableCount, nameOf, onOrder, selection, ...rest }: Props<Row>) {
  const { data: items, options } = section
  const { layout, headline: label, size, columns } = options
  const shiftKey = useRef(false)
  const sorting: Sorting<Row> = {
    keyOf: ({ id }) => id,
    nameOf,
    count: sortableCount,
    disabled: sortableCount < 2 || selection !== undefined,
    onChange: onOrder,
  }
  const layoutSelection: LayoutSelection<Row> | undefined = selection && {
    selected: selection.selected,
    toggle: item => selection.toggle(item, shiftKey.current),
    change: selected => {
      const changed = items.find(({ id }) => selected.has(id) !== selection.selected.has(id))
      if (changed) selection.toggle(changed, shiftKey.current)
    },
  }
  const shared = { ...rest, items, label, sorting, layoutSelection }
  return (
    <div
      // The capture phase comes before the handlers of the row and its checkbox, whose events do not all have `shiftKey`.
      onClickCapture={event => void (shiftKey.current = event.shiftKey)}
      onMouseDown={event => {
        // Otherwise a click with Shift selects text.
        if (layoutSelection && event.shiftKey) event.preventDefault()
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

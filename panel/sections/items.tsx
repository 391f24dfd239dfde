import type { ReactNode } from 'react'
import type { Icon } from '../ui/icon.ts'
import { Cards } from './cards.tsx'
import type { Item, ListSection, Sorting } from './item.ts'
import { ItemRows } from './item-rows.tsx'
import { ItemTable } from './item-table.tsx'

interface Props<Row extends Item> {
  section: ListSection<Row>
  /** Number of items, from the first one, that can be sorted. */
  movable: number
  nameOf: (item: Row) => string
  onOrder: (items: Row[]) => void
  defaultIcon?: Icon | undefined
  after?: ((item: Row) => ReactNode) | undefined
  onHover?: ((item: Row) => void) | undefined
}

/** The items of a section in the layout of its blueprint: list, cards or table. All layouts are sortable. */
export function Items<Row extends Item>({ section, movable, nameOf, onOrder, ...rest }: Props<Row>) {
  const { data: items, options } = section
  const { layout, headline: label, size, columns } = options
  const sorting: Sorting<Row> = {
    keyOf: ({ id }) => id,
    nameOf,
    count: movable,
    disabled: movable < 2,
    onChange: onOrder,
  }
  const shared = { ...rest, items, label, sorting }
  if (layout === 'table') return <ItemTable {...shared} columns={columns} />
  if (layout === 'list') return <ItemRows {...shared} />
  return <Cards {...shared} size={size} small={layout === 'cardlets'} />
}

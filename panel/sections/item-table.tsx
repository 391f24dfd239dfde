import { cloneElement, type ReactNode } from 'react'
import { t } from '../texts/texts.ts'
import { Table } from '../ui/table.tsx'
import type { Icon } from '../ui/icon.ts'
import { readable } from '../editor/readable.ts'
import type { Item, TableColumn } from './item.ts'
import { ItemImage } from './item-image.tsx'
import { linkTo } from './link.tsx'

interface Props<Row extends Item> {
  items: readonly Row[]
  columns: Readonly<Record<string, TableColumn>>
  label: string
  usual?: Icon | undefined
  /** What stands in the last column. */
  flag?: ((item: Row) => ReactNode) | undefined
  onNear?: ((item: Row) => void) | undefined
}

export function ItemTable<Row extends Item>({ items, columns, label, usual, flag, onNear }: Props<Row>) {
  const cell = (name: string, { type }: TableColumn) =>
    function Cell(item: Row): ReactNode {
      if (name === 'image') return <ItemImage image={item.image} usual={usual} />
      if (name === 'flag') return <span className="flex items-center justify-end">{flag?.(item)}</span>
      if (name === 'title') {
        const link = linkTo(item.link)
        const text = <span className="font-medium">{item.text}</span>
        return link
          ? cloneElement(link, { className: 'hover:underline', children: text, onPointerEnter: () => onNear?.(item) })
          : text
      }
      const value = item[name]
      return type === 'toggle' ? t(value === true || value === 'true' ? 'editor.yes' : 'editor.no') : readable(value)
    }
  return (
    <Table
      label={label}
      rows={items}
      keyOf={({ id }) => id}
      columns={Object.entries(columns).map(([name, column]) => ({
        name,
        label: column.label.trim() || t(name === 'image' ? 'sections.table.image' : 'sections.table.actions'),
        cell: cell(name, column),
        wide: column.mobile !== true,
      }))}
    />
  )
}

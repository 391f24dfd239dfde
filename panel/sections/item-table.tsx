import { cloneElement, type ReactNode } from 'react'
import { t } from '../texts/texts.ts'
import { Table } from '../ui/table.tsx'
import type { Icon } from '../ui/icon.ts'
import { readable } from '../editor/readable.ts'
import { type Item, type Sorting, type ItemColumn, itemTitle } from './item.ts'
import type { LayoutSelection } from './select-box.tsx'
import { ItemImage } from './item-image.tsx'
import { linkTo } from './link.tsx'

interface Props<Row extends Item> {
  items: readonly Row[]
  columns: Readonly<Record<string, ItemColumn>>
  label: string
  defaultIcon?: Icon | undefined
  sorting: Sorting<Row>
  layoutSelection?: LayoutSelection<Row> | undefined
  /** Content of the column `flag`. */
  after?: ((item: Row) => ReactNode) | undefined
  onHover?: ((item: Row) => void) | undefined
}

const narrow: Readonly<Record<string, string>> = { image: 'w-14', flag: 'w-28' }
const widths: Readonly<Record<string, string>> = {
  '1/2': 'w-1/2',
  '1/3': 'w-1/3',
  '2/3': 'w-2/3',
  '1/4': 'w-1/4',
  '3/4': 'w-3/4',
  '1/5': 'w-1/5',
  '1/6': 'w-1/6',
  '1/8': 'w-1/8',
}
const aligned: Readonly<Record<string, 'start' | 'center' | 'end'>> = { left: 'start', center: 'center', right: 'end' }

/** Headings of the image and status columns, for screen readers only. */
const unseen = (name: string) => (
  <span className="sr-only">{t(name === 'image' ? 'sections.table.image' : 'sections.table.actions')}</span>
)

export function ItemTable<Row extends Item>({
  items,
  columns,
  label,
  defaultIcon,
  sorting,
  layoutSelection,
  after,
  onHover,
}: Props<Row>) {
  const cell = (name: string, { type }: ItemColumn) =>
    function Cell(item: Row): ReactNode {
      if (name === 'image') return <ItemImage image={item.image} defaultIcon={defaultIcon} />
      if (name === 'flag') return <span className="flex items-center justify-end">{after?.(item)}</span>
      if (name === 'title') {
        const { text: title, href } = itemTitle(item)
        const link = linkTo(href)
        const text = <span className="font-medium">{title}</span>
        return link && !layoutSelection
          ? cloneElement(link, { className: 'hover:underline', children: text, onPointerEnter: () => onHover?.(item) })
          : text
      }
      const { [name]: value }: Readonly<Record<string, unknown>> = item
      return type === 'toggle' ? t(value === true || value === 'true' ? 'editor.yes' : 'editor.no') : readable(value)
    }
  return (
    <Table
      label={label}
      rows={items}
      keyOf={sorting.keyOf}
      nameOf={item => itemTitle(item).text}
      sortableCount={sorting.disabled ? 0 : sorting.count}
      onOrder={sorting.onChange}
      {...(layoutSelection && {
        selected: layoutSelection.selected,
        // The bar above the list has one for every layout.
        canSelectAll: false,
        onSelect: layoutSelection.change,
        onOpen: layoutSelection.toggle,
      })}
      columns={Object.entries(columns).map(([name, column]) => ({
        name,
        label: column.label.trim() || unseen(name),
        cell: cell(name, column),
        width: narrow[name] ?? widths[column.width ?? ''],
        align: aligned[column.align ?? ''],
        wide: column.mobile !== true,
      }))}
    />
  )
}

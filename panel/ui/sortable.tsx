import { memo, type ReactNode, useRef } from 'react'
import { cx } from './cx.ts'
import { type SortingLayout, type SortedRow, type SortingProps, useSortedRow, useSorting } from './sorting.tsx'

export interface SortableRow {
  index: number
  /** The button that moves the row, by pointer and by arrow keys. Null if the list is disabled. */
  handle: ReactNode
  dragging: boolean
}

interface Props<Item> extends SortingProps<Item> {
  children: (item: Item, row: SortableRow) => ReactNode
  /** A vertical list, or a grid of tiles. */
  layout?: SortingLayout | undefined
  /** Shown if there are no rows; items can be dropped on it. */
  empty?: ReactNode
  className?: string | undefined
  label?: string | undefined
}

/** A list that can be sorted by pointer or keyboard. Moves are announced to screen readers. */
export function Sortable<Item>(props: Props<Item>) {
  const { items, keyOf, children, layout = 'rows', empty, className, label } = props
  const frame = useRef<HTMLDivElement>(null)
  const { over, rowAt, status } = useSorting(props, frame)

  return (
    <div ref={frame} className={cx('relative', over && items.length === 0 && 'rounded-md bg-accent-soft')}>
      {items.length === 0 && empty}
      <div
        role={items.length === 0 ? undefined : 'list'}
        aria-label={items.length === 0 ? undefined : label}
        className={className}
      >
        {items.map((item, index) => (
          <Row
            key={keyOf(item)}
            {...rowAt(index)}
            item={item}
            layout={layout}
            render={children as (item: unknown, row: SortableRow) => ReactNode}
          />
        ))}
      </div>
      {status}
    </div>
  )
}

interface RowProps extends SortedRow {
  layout: SortingLayout
  item: unknown
  render: (item: unknown, row: SortableRow) => ReactNode
}

/** Memoised: if the caller passes a stable render function, only changed rows render again. */
const Row = memo(function Row({ item, layout, render, ...sorted }: RowProps) {
  const { row, handle, dragging, edge } = useSortedRow<HTMLDivElement>(sorted, layout)

  return (
    <div ref={row} role="listitem" className={cx('min-w-0', edge && 'relative', dragging && 'opacity-40')}>
      {render(item, { index: sorted.index, handle, dragging })}
      {edge && (
        <span
          aria-hidden="true"
          className={cx(
            'pointer-events-none absolute z-20 rounded-full bg-accent',
            layout === 'rows' ? 'inset-x-0 h-0.5' : 'inset-y-0 w-0.5',
            layout === 'rows' && (edge === 'before' ? '-top-px' : '-bottom-px'),
            layout === 'tiles' && (edge === 'before' ? '-start-2' : '-end-2'),
          )}
        />
      )}
    </div>
  )
})

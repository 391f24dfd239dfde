import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'

interface Props<Item> {
  items: readonly Item[]
  keyOf: (item: Item) => string
  children: (item: Item, index: number) => ReactNode
  label: string
  /** Estimated height of a row in pixels; each row is measured when it is rendered. */
  height?: number | undefined
  /** Called when the last row becomes visible, to load more. */
  onEnd?: (() => void) | undefined
  /** The list scrolls inside its box, so it needs a height. */
  className?: string | undefined
}

/** A virtual list: only visible rows are rendered. */
export function List<Item>({ items, keyOf, children, label, height = 44, onEnd, className }: Props<Item>) {
  const frame = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => height,
    getItemKey: index => keyOf(items[index]!),
    overscan: 8,
  })
  const virtualItems = rows.getVirtualItems()
  const last = virtualItems.at(-1)?.index

  useEffect(() => {
    if (last !== undefined && last >= items.length - 1) onEnd?.()
  }, [last, items.length, onEnd])

  return (
    <div ref={frame} className={cx('overflow-y-auto', className)}>
      <div role="list" aria-label={label} className="relative" style={{ height: rows.getTotalSize() }}>
        {virtualItems.map(row => (
          <div
            key={row.key}
            ref={rows.measureElement}
            data-index={row.index}
            role="listitem"
            aria-setsize={items.length}
            aria-posinset={row.index + 1}
            className="absolute start-0 end-0 top-0 border-b"
            style={{ transform: `translateY(${row.start}px)` }}
          >
            {children(items[row.index]!, row.index)}
          </div>
        ))}
      </div>
    </div>
  )
}

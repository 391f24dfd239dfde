import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useId, useRef, useState } from 'react'
import { cx } from './cx.ts'
import { useTreeKeys } from './tree-keys.ts'
import { TreeRow, LoadingRow } from './tree-row.tsx'
import { rowsOf, type CanMove, type RefuseMove, type TreeMove, type TreeNode } from './tree-rows.ts'

interface Props {
  nodes: readonly TreeNode[]
  label: string
  open: ReadonlySet<string>
  /** A node is opened or closed; the caller loads missing children. */
  onOpen: (id: string, open: boolean) => void
  selected?: string | undefined
  onSelect: (node: TreeNode) => void
  /** The pointer is over a node: an opportunity to prefetch. */
  onHover?: ((node: TreeNode) => void) | undefined
  /** Called on drop, and for Alt with the arrow keys. */
  onMove?: TreeMove | undefined
  canMove?: CanMove | undefined
  onRefused?: RefuseMove | undefined
  /** A disabled node is clicked, or chosen with Enter. */
  onDisabled?: ((node: TreeNode) => void) | undefined
  className?: string | undefined
}

/** A virtual tree: only visible rows are rendered, and one of them is in the tab order. */
export function Tree(props: Props) {
  const { nodes, label, open, onOpen, selected, onSelect, onHover, onMove, canMove, onRefused, onDisabled, className } =
    props
  const rows = rowsOf(nodes, open)
  const frame = useRef<HTMLDivElement>(null)
  const treeId = useId()
  const [current, setCurrent] = useState(selected)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => 32,
    getItemKey: index => rows[index]!.node?.id ?? `${rows[index]!.parent}/…`,
    overscan: 12,
  })
  const found = rows.findIndex(row => row.node && row.node.id === current)
  const currentIndex = found < 0 ? 0 : found

  useEffect(() => {
    if (selected !== undefined) setCurrent(selected)
  }, [selected])

  function go(index: number) {
    const node = rows[index]?.node
    if (!node) return
    setCurrent(node.id)
    virtual.scrollToIndex(index)
    requestAnimationFrame(() => document.getElementById(`${treeId}-${node.id}`)?.focus())
  }

  const pressed = useTreeKeys({
    rows,
    currentIndex,
    go,
    open,
    onOpen,
    onSelect,
    onMove,
    canMove,
    onRefused,
    onDisabled,
    frame,
  })

  return (
    <div ref={frame} className={cx('overflow-y-auto', className)}>
      <div
        role="tree"
        aria-label={label}
        className="relative"
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={pressed}
      >
        {virtual.getVirtualItems().map(item => {
          const row = rows[item.index]!
          const place = { transform: `translateY(${item.start}px)` }
          if (!row.node) return <LoadingRow key={item.key} level={row.level} style={place} />

          return (
            <TreeRow
              key={item.key}
              id={`${treeId}-${row.node.id}`}
              node={row.node}
              row={row}
              style={place}
              open={row.node.hasChildren ? open.has(row.node.id) : undefined}
              selected={row.node.id === selected}
              current={item.index === currentIndex}
              group={treeId}
              onOpen={onOpen}
              onSelect={onSelect}
              onHover={onHover}
              onFocus={() => setCurrent(row.node!.id)}
              onMove={onMove}
              canMove={canMove}
              onRefused={onRefused}
              onDisabled={onDisabled}
            />
          )
        })}
      </div>
    </div>
  )
}

import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { ChevronRight } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { cx } from './cx.ts'
import { useUiTexts } from './texts.ts'
import type { VisibleRow, CanMove, RefuseMove, TreeMove, TreeNode, TreePlace } from './tree-rows.ts'

const indent = (level: number) => ({ paddingInlineStart: `${(level - 1) * 16 + 4}px` })

/** Placeholder while the children of a node load. */
export function LoadingRow({ level, style }: { level: number; style: { transform: string } }) {
  const texts = useUiTexts()

  return (
    <div
      role="treeitem"
      aria-level={level}
      aria-selected={false}
      aria-label={texts.loading}
      className="absolute inset-x-0 top-0 flex h-8 items-center"
      style={{ ...style, ...indent(level) }}
    >
      <span className="waiting ms-7 h-3 w-24 rounded-sm bg-line" />
    </div>
  )
}

interface Props {
  id: string
  node: TreeNode
  row: VisibleRow
  style: { transform: string }
  open: boolean | undefined
  selected: boolean
  current: boolean
  group: string
  onFocus: () => void
  onOpen: (id: string, open: boolean) => void
  onSelect: (node: TreeNode) => void
  onHover?: ((node: TreeNode) => void) | undefined
  onMove?: TreeMove | undefined
  canMove?: CanMove | undefined
  onRefused?: RefuseMove | undefined
  onDisabled?: ((node: TreeNode) => void) | undefined
}

export function TreeRow(props: Props) {
  const { id, node, row, style, open, selected, current, group, onOpen, onSelect, onHover, onFocus } = props
  const element = useRef<HTMLDivElement>(null)
  const [place, setPlace] = useState<TreePlace>()
  const { icon: Icon } = node
  const movable = !!props.onMove && !node.fixed
  const now = useRef(props)
  useEffect(() => {
    now.current = props
  })

  useEffect(() => {
    const self = element.current
    if (!self || !now.current.onMove) return undefined
    const allowed = (source: unknown, where: TreePlace) =>
      source !== node.id && (now.current.canMove?.(String(source), where, node.id) ?? true)

    return combine(
      movable ? draggable({ element: self, getInitialData: () => ({ group, id: node.id }) }) : () => {},
      dropTargetForElements({
        element: self,
        canDrop: ({ source }) => source.data['group'] === group && source.data['id'] !== node.id,
        getData: ({ input, source }) => {
          const where = placeAt(self, input.clientY)
          return { where, place: allowed(source.data['id'], where) ? where : undefined }
        },
        onDrag: ({ self: { data } }) => setPlace(data['place'] as TreePlace | undefined),
        onDragLeave: () => setPlace(undefined),
        onDrop: ({ self: { data }, source }) => {
          setPlace(undefined)
          const where = data['where'] as TreePlace
          const dragged = String(source.data['id'])
          // The caller reports errors.
          if (data['place']) now.current.onMove?.(dragged, where, node.id).catch(() => {})
          else now.current.onRefused?.(dragged, where, node.id)
        },
      }),
    )
  }, [group, node.id, movable])

  return (
    <div
      ref={element}
      id={id}
      role="treeitem"
      aria-level={row.level}
      aria-posinset={row.position + 1}
      aria-setsize={row.siblings.length}
      aria-expanded={open}
      aria-selected={selected}
      aria-disabled={node.disabled || undefined}
      aria-description={node.reason}
      data-tip={node.reason}
      tabIndex={current ? 0 : -1}
      onFocus={onFocus}
      onPointerEnter={() => onHover?.(node)}
      onClick={() => {
        if (!node.disabled) return onSelect(node)
        props.onDisabled?.(node)
        return open === undefined ? undefined : onOpen(node.id, !open)
      }}
      style={{ ...style, ...indent(row.level) }}
      className={cx(
        'absolute inset-x-0 top-0 flex h-8 cursor-pointer items-center gap-1.5 rounded-md pe-2 transition-colors -outline-offset-2',
        // Rows are focused by script, and must show the focus ring nevertheless.
        'focus-visible:outline-2 focus-visible:outline-focus',
        node.disabled && 'text-muted',
        selected ? 'bg-accent-soft font-medium' : 'hover:bg-hover',
        place === 'inside' && 'bg-accent-soft ring-1 ring-accent ring-inset',
      )}
    >
      <span
        aria-hidden="true"
        onClick={event => {
          event.stopPropagation()
          if (open !== undefined) onOpen(node.id, !open)
        }}
        className={cx(
          'flex size-6 shrink-0 items-center justify-center rounded-sm',
          open !== undefined && 'hover:bg-pressed',
        )}
      >
        {open !== undefined && (
          <ChevronRight
            className={cx('size-3.5 text-faint transition-transform', open ? 'rotate-90' : 'rtl:rotate-180')}
          />
        )}
      </span>
      {Icon && <Icon aria-hidden="true" className="text-muted" />}
      <span dir="auto" className="min-w-0 flex-1 truncate text-left rtl:text-right">
        {node.text}
      </span>
      {node.after}
      {place && place !== 'inside' && (
        <span
          aria-hidden="true"
          className={cx(
            'absolute inset-x-0 h-0.5 rounded-full bg-accent',
            place === 'before' ? '-top-px' : '-bottom-px',
          )}
        />
      )}
    </div>
  )
}

/** The upper and lower quarter of a row mean before and after it, the middle means inside. */
function placeAt(element: Element, y: number): TreePlace {
  const box = element.getBoundingClientRect()
  const part = (y - box.top) / box.height
  return part < 0.25 ? 'before' : part > 0.75 ? 'after' : 'inside'
}

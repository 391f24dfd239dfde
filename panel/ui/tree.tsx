import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronRight } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { cx } from './cx.ts'
import type { Icon } from './icon.ts'
import { useUiTexts } from './texts.ts'

export interface TreeNode {
  id: string
  text: string
  icon?: Icon | undefined
  /** At the end of the row: a status. */
  after?: ReactNode
  /** Whether there is something below, loaded or not. */
  hasChildren: boolean
  /** None until they are loaded. */
  children?: readonly TreeNode[] | undefined
  fixed?: boolean | undefined
}

export type TreePlace = 'before' | 'inside' | 'after'

interface Props {
  nodes: readonly TreeNode[]
  label: string
  open: ReadonlySet<string>
  /** Asked to open or close; the owner loads what is missing. */
  onOpen: (id: string, open: boolean) => void
  selected?: string | undefined
  onSelect: (node: TreeNode) => void
  /** The pointer rests on it: a chance to fetch ahead. */
  onNear?: ((node: TreeNode) => void) | undefined
  /** Called with a drop, and with Alt and the arrow keys. */
  onMove?: ((id: string, place: TreePlace, target: string) => void) | undefined
  canMove?: ((id: string, place: TreePlace, target: string) => boolean) | undefined
  className?: string | undefined
}

interface Row {
  node: TreeNode | undefined
  level: number
  parent: string | undefined
  position: number
  siblings: readonly TreeNode[]
}

/** A tree of any size: only the rows in sight are drawn, and one of them can have the focus. */
export function Tree(props: Props) {
  const { nodes, label, open, onOpen, selected, onSelect, onNear, onMove, canMove, className } = props
  const rows = flat(nodes, open)
  const frame = useRef<HTMLDivElement>(null)
  const treeId = useId()
  const [current, setCurrent] = useState(selected)
  const typed = useRef({ text: '', at: 0 })
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => 32,
    getItemKey: index => rows[index]!.node?.id ?? `${rows[index]!.parent}/…`,
    overscan: 12,
  })
  const found = rows.findIndex(row => row.node && row.node.id === current)
  const at = found < 0 ? 0 : found

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

  function shift(row: Row, key: string) {
    if (!row.node || !onMove || row.node.fixed) return
    const { node, position, siblings, parent } = row
    const target = key === 'ArrowUp' ? siblings[position - 1] : key === 'ArrowDown' ? siblings[position + 1] : undefined
    const place = key === 'ArrowUp' ? 'before' : 'after'
    if (target && (canMove?.(node.id, place, target.id) ?? true)) onMove(node.id, place, target.id)
    if (key === 'out' && parent && (canMove?.(node.id, 'after', parent) ?? true)) onMove(node.id, 'after', parent)
    const above = siblings[position - 1]
    if (key === 'in' && above && (canMove?.(node.id, 'inside', above.id) ?? true)) onMove(node.id, 'inside', above.id)
  }

  function pressed(event: KeyboardEvent<HTMLDivElement>) {
    const row = rows[at]
    const node = row?.node
    if (!row || !node) return
    const rtl = getComputedStyle(event.currentTarget).direction === 'rtl'
    const forward = rtl ? 'ArrowLeft' : 'ArrowRight'
    const back = rtl ? 'ArrowRight' : 'ArrowLeft'
    const { key } = event

    if (event.altKey && key.startsWith('Arrow')) shift(row, key === forward ? 'in' : key === back ? 'out' : key)
    else if (key === 'ArrowDown') go(at + 1)
    else if (key === 'ArrowUp') go(at - 1)
    else if (key === 'Home') go(0)
    else if (key === 'End') go(rows.length - 1)
    else if (key === forward && node.hasChildren && !open.has(node.id)) onOpen(node.id, true)
    else if (key === forward && node.hasChildren) go(at + 1)
    else if (key === back && open.has(node.id)) onOpen(node.id, false)
    else if (key === back) go(rows.findIndex(other => other.node?.id === row.parent))
    else if (key === 'Enter' || key === ' ') onSelect(node)
    else if (key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) find(key)
    else return

    event.preventDefault()
  }

  function find(key: string) {
    const fresh = performance.now() - typed.current.at > 600
    typed.current = { text: (fresh ? '' : typed.current.text) + key.toLocaleLowerCase(), at: performance.now() }
    const from = fresh ? at + 1 : at
    const order = [...rows.slice(from), ...rows.slice(0, from)]
    const match = order.find(row => row.node?.text.toLocaleLowerCase().startsWith(typed.current.text))
    if (match) go(rows.indexOf(match))
  }

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
          if (!row.node) return <Waiting key={item.key} level={row.level} style={place} />

          return (
            <TreeRow
              key={item.key}
              id={`${treeId}-${row.node.id}`}
              node={row.node}
              row={row}
              style={place}
              open={row.node.hasChildren ? open.has(row.node.id) : undefined}
              selected={row.node.id === selected}
              current={item.index === at}
              group={treeId}
              onOpen={onOpen}
              onSelect={onSelect}
              onNear={onNear}
              onFocus={() => setCurrent(row.node!.id)}
              onMove={onMove}
              canMove={canMove}
            />
          )
        })}
      </div>
    </div>
  )
}

function flat(nodes: readonly TreeNode[], open: ReadonlySet<string>): Row[] {
  const rows: Row[] = []
  const add = (siblings: readonly TreeNode[], level: number, parent: string | undefined) => {
    for (const [position, node] of siblings.entries()) {
      rows.push({ node, level, parent, position, siblings })
      if (!node.hasChildren || !open.has(node.id)) continue
      if (node.children) add(node.children, level + 1, node.id)
      else rows.push({ node: undefined, level: level + 1, parent: node.id, position: 0, siblings: [] })
    }
  }
  add(nodes, 1, undefined)
  return rows
}

const indent = (level: number) => ({ paddingInlineStart: `${(level - 1) * 16 + 4}px` })

function Waiting({ level, style }: { level: number; style: { transform: string } }) {
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

interface TreeRowProps extends Pick<Props, 'onOpen' | 'onSelect' | 'onNear' | 'onMove' | 'canMove'> {
  id: string
  node: TreeNode
  row: Row
  style: { transform: string }
  open: boolean | undefined
  selected: boolean
  current: boolean
  group: string
  onFocus: () => void
}

function TreeRow(props: TreeRowProps) {
  const { id, node, row, style, open, selected, current, group, onOpen, onSelect, onNear, onFocus } = props
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
          return { place: allowed(source.data['id'], where) ? where : undefined }
        },
        onDrag: ({ self: { data } }) => setPlace(data['place'] as TreePlace | undefined),
        onDragLeave: () => setPlace(undefined),
        onDrop: ({ self: { data }, source }) => {
          setPlace(undefined)
          const where = data['place'] as TreePlace | undefined
          if (where) now.current.onMove?.(String(source.data['id']), where, node.id)
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
      tabIndex={current ? 0 : -1}
      onFocus={onFocus}
      onPointerEnter={() => onNear?.(node)}
      onClick={() => onSelect(node)}
      style={{ ...style, ...indent(row.level) }}
      className={cx(
        'absolute inset-x-0 top-0 flex h-8 cursor-pointer items-center gap-1.5 rounded-md pe-2 transition-colors -outline-offset-2',
        // Rows are reached by script, and the ring must show where one is.
        'focus-visible:outline-2 focus-visible:outline-focus',
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
      <span className="min-w-0 flex-1 truncate">{node.text}</span>
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

/** The upper and lower quarter of a row mean before and after it, the middle means below it. */
function placeAt(element: Element, y: number): TreePlace {
  const box = element.getBoundingClientRect()
  const part = (y - box.top) / box.height
  return part < 0.25 ? 'before' : part > 0.75 ? 'after' : 'inside'
}

import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements, monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { GripVertical } from 'lucide-react'
import { memo, useCallback, useEffect, useId, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode, RefObject } from 'react'
import { cx } from './cx.ts'
import { filled, useUiTexts } from './texts.ts'

export interface SortableRow {
  index: number
  /** The button that moves the row, by pointer and by arrow keys. Nothing if the list is disabled. */
  handle: ReactNode
  dragging: boolean
}

interface Props<Item> {
  items: readonly Item[]
  keyOf: (item: Item) => string
  nameOf: (item: Item) => string
  onChange: (items: Item[]) => void
  children: (item: Item, row: SortableRow) => ReactNode
  disabled?: boolean | undefined
  /** Rows below each other, or tiles beside each other. */
  layout?: 'rows' | 'tiles' | undefined
  /** Lists of one group take items from each other; `onReceive` is then asked to do so. */
  group?: string | undefined
  list?: string | undefined
  onReceive?: ((from: string, key: string, index: number) => void) | undefined
  /** Shown in place of the rows; things can be dropped on it. */
  empty?: ReactNode
  className?: string | undefined
  label?: string | undefined
}

type Edge = 'before' | 'after'

/** A list whose order a person changes, with the pointer or the keyboard; each move is read out. */
export function Sortable<Item>(props: Props<Item>) {
  const { items, keyOf, nameOf, children, disabled = false, layout = 'rows', empty, className, label } = props
  const made = useId()
  const list = props.list ?? made
  const group = props.group ?? made
  const texts = useUiTexts()
  const frame = useRef<HTMLDivElement>(null)
  const [said, setSaid] = useState('')
  const [over, setOver] = useState(false)
  // The listeners stay while the contents change: they read what is current here.
  const now = useRef(props)
  useEffect(() => {
    now.current = props
  })

  function move(from: number, to: number) {
    const current = now.current
    const total = current.items.length
    const item = current.items[from]
    if (item === undefined || to < 0 || to >= total || to === from) return
    current.onChange(current.items.toSpliced(from, 1).toSpliced(to, 0, item))
    setSaid(filled(texts.moved, { name: current.nameOf(item), position: to + 1, total }))
  }
  const moveNow = useRef(move)
  useEffect(() => {
    moveNow.current = move
  })
  const moveStably = useCallback((from: number, to: number) => moveNow.current(from, to), [])

  useEffect(() => {
    const element = frame.current
    if (!element || disabled) return undefined

    return combine(
      dropTargetForElements({
        element,
        canDrop: ({ source }) => source.data['group'] === group,
        onDrag: ({ location }) => setOver(location.current.dropTargets[0]?.element === element),
        onDragLeave: () => setOver(false),
        onDrop: () => setOver(false),
      }),
      monitorForElements({
        canMonitor: ({ source }) => source.data['group'] === group,
        onDrop: ({ source, location }) => {
          const target = location.current.dropTargets[0]
          if (!target || !element.contains(target.element)) return
          // A list inside a row of this one takes what falls into it.
          if (target.element !== element && target.data['list'] !== list) return

          const current = now.current
          const indexOf = (key: unknown) => current.items.findIndex(item => current.keyOf(item) === key)
          const at = target.element === element ? current.items.length : indexOf(target.data['key'])
          const gap = target.data['edge'] === 'after' ? at + 1 : at
          if (source.data['list'] !== list) {
            current.onReceive?.(String(source.data['list']), String(source.data['key']), gap)
            return
          }
          const from = indexOf(source.data['key'])
          moveNow.current(from, gap > from ? gap - 1 : gap)
        },
      }),
    )
  }, [disabled, group, list])

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
            id={keyOf(item)}
            name={nameOf(item)}
            item={item}
            index={index}
            group={group}
            list={list}
            layout={layout}
            disabled={disabled}
            onMove={moveStably}
            render={children as (item: unknown, row: SortableRow) => ReactNode}
          />
        ))}
      </div>
      {!disabled && (
        <span role="status" className="sr-only">
          {said}
        </span>
      )}
    </div>
  )
}

interface RowProps {
  id: string
  name: string
  index: number
  group: string
  list: string
  layout: 'rows' | 'tiles'
  disabled: boolean
  onMove: (from: number, to: number) => void
  item: unknown
  render: (item: unknown, row: SortableRow) => ReactNode
}

/** Where the owner hands on the same function, only the rows that change are drawn again. */
const Row = memo(function Row({ id, name, index, group, list, layout, disabled, onMove, item, render }: RowProps) {
  const row = useRef<HTMLDivElement>(null)
  const grip = useRef<HTMLButtonElement>(null)
  const [dragging, setDragging] = useState(false)
  const [edge, setEdge] = useState<Edge>()

  useEffect(() => {
    const element = row.current
    if (!element || disabled) return undefined
    const data = { group, list, key: id }

    return combine(
      grip.current
        ? draggable({
            element: grip.current,
            getInitialData: () => data,
            onGenerateDragPreview: ({ nativeSetDragImage }) => nativeSetDragImage?.(element, 16, 16),
            onDragStart: () => setDragging(true),
            onDrop: () => setDragging(false),
          })
        : () => {},
      dropTargetForElements({
        element,
        canDrop: ({ source }) => source.data['group'] === group && source.data['key'] !== id,
        getData: ({ input }) => ({ ...data, edge: nearest(element, input.clientX, input.clientY, layout) }),
        onDrag: ({ self, location }) =>
          setEdge(location.current.dropTargets[0]?.element === element ? (self.data['edge'] as Edge) : undefined),
        onDragLeave: () => setEdge(undefined),
        onDrop: () => setEdge(undefined),
      }),
    )
  }, [group, list, id, layout, disabled])

  const handle = disabled ? null : (
    <Grip ref={grip} name={name} index={index} layout={layout} onMove={to => onMove(index, to)} />
  )

  return (
    <div ref={row} role="listitem" className={cx('relative min-w-0', dragging && 'opacity-40')}>
      {render(item, { index, handle, dragging })}
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

interface GripProps {
  ref: RefObject<HTMLButtonElement | null>
  name: string
  index: number
  layout: 'rows' | 'tiles'
  onMove: (to: number) => void
}

function Grip({ ref, name, index, layout, onMove }: GripProps) {
  const texts = useUiTexts()

  function pressed(event: KeyboardEvent<HTMLButtonElement>) {
    const rtl = getComputedStyle(event.currentTarget).direction === 'rtl'
    const steps: Record<string, number> = {
      ArrowUp: -1,
      ArrowDown: 1,
      ...(layout === 'tiles' && { ArrowLeft: rtl ? 1 : -1, ArrowRight: rtl ? -1 : 1 }),
    }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    event.stopPropagation()
    onMove(index + step)
  }

  return (
    <button
      ref={ref}
      type="button"
      aria-label={filled(texts.move, { name })}
      aria-roledescription={texts.moveHint}
      data-tip={texts.moveHint}
      onKeyDown={pressed}
      className="inline-flex h-8 w-6 shrink-0 cursor-grab! items-center justify-center rounded-md text-faint hover:bg-hover hover:text-ink active:cursor-grabbing!"
    >
      <GripVertical aria-hidden="true" />
    </button>
  )
}

function nearest(element: Element, x: number, y: number, layout: 'rows' | 'tiles'): Edge {
  const box = element.getBoundingClientRect()
  if (layout === 'rows') return y < box.top + box.height / 2 ? 'before' : 'after'
  const left = x < box.left + box.width / 2
  return left === (getComputedStyle(element).direction !== 'rtl') ? 'before' : 'after'
}

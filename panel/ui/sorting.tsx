import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import { draggable, dropTargetForElements, monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { GripVertical } from 'lucide-react'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { fillText, useUiTexts } from './texts.ts'

export interface SortingProps<Item> {
  items: readonly Item[]
  keyOf: (item: Item) => string
  nameOf: (item: Item) => string
  onChange: (items: Item[]) => void
  disabled?: boolean | undefined
  /** Only the first `count` items can be sorted; the others follow them. */
  count?: number | undefined
  /** Items can be dragged between lists of the same group; `onReceive` is then called. */
  group?: string | undefined
  list?: string | undefined
  onReceive?: ((from: string, keys: readonly string[], index: number) => void) | undefined
  /** The items that are dragged with an item, in order, and itself. */
  together?: ((key: string) => readonly string[]) | undefined
}

/** Drag and drop and keyboard sorting for any list elements. */
export function useSorting<Item>(props: SortingProps<Item>, frame: RefObject<HTMLElement | null>) {
  const generatedId = useId()
  const { disabled = false, list = generatedId, group = generatedId, items } = props
  const texts = useUiTexts()
  const [announcement, setAnnouncement] = useState('')
  const [over, setOver] = useState(false)
  const count = props.count ?? items.length
  // The listeners are registered once and read the current props from this ref.
  const now = useRef(props)
  useEffect(() => {
    now.current = props
  })

  function move(from: number, to: number) {
    const current = now.current
    const total = current.count ?? current.items.length
    const item = current.items[from]
    if (item === undefined || to < 0 || to >= total || to === from) return
    current.onChange(current.items.toSpliced(from, 1).toSpliced(to, 0, item))
    setAnnouncement(fillText(texts.moved, { name: current.nameOf(item), position: to + 1, total }))
  }
  const moveNow = useRef(move)
  useEffect(() => {
    moveNow.current = move
  })
  const onMove = useCallback((from: number, to: number) => moveNow.current(from, to), [])

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
          // A nested list handles drops on itself.
          if (target.element !== element && target.data['list'] !== list) return

          const current = now.current
          const indexOf = (key: unknown) => current.items.findIndex(item => current.keyOf(item) === key)
          const index =
            target.element === element ? (current.count ?? current.items.length) : indexOf(target.data['key'])
          const gap = target.data['edge'] === 'after' ? index + 1 : index
          const keys = source.data['keys'] as readonly string[]
          if (source.data['list'] !== list) {
            current.onReceive?.(String(source.data['list']), keys, gap)
            return
          }
          if (keys.length > 1) return moveTogether(current, new Set(keys), gap)
          const from = indexOf(source.data['key'])
          moveNow.current(from, gap > from ? gap - 1 : gap)
        },
      }),
    )
  }, [frame, disabled, group, list])

  /** Props of a row that do not change when only other rows change. */
  const rowAt = (index: number) => ({
    id: props.keyOf(items[index]!),
    name: props.nameOf(items[index]!),
    index,
    group,
    list,
    disabled: disabled || index >= count,
    onMove,
    together: props.together,
  })
  const status = disabled ? null : (
    <span role="status" className="sr-only">
      {announcement}
    </span>
  )
  return { over, rowAt, status }
}

/** Moves several items to a gap between two. */
function moveTogether<Item>({ items, keyOf, onChange }: SortingProps<Item>, keys: ReadonlySet<string>, gap: number) {
  const isMoved = (item: Item) => keys.has(keyOf(item))
  const before = items.slice(0, gap).filter(item => !isMoved(item))
  const after = items.slice(gap).filter(item => !isMoved(item))
  onChange([...before, ...items.filter(isMoved), ...after])
}

export interface SortedRow {
  id: string
  name: string
  index: number
  group: string
  list: string
  disabled: boolean
  onMove: (from: number, to: number) => void
  together: ((key: string) => readonly string[]) | undefined
}

export type Edge = 'before' | 'after'
export type SortingLayout = 'rows' | 'tiles'

/** A row: its drag handle, and the drop indicator. */
export function useSortedRow<Element extends HTMLElement>(
  { id, name, index, group, list, disabled, onMove, together }: SortedRow,
  layout: SortingLayout,
): { row: RefObject<Element | null>; handle: ReactNode; dragging: boolean; edge: Edge | undefined } {
  const row = useRef<Element>(null)
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
            getInitialData: () => ({ ...data, keys: together?.(id) ?? [id] }),
            onGenerateDragPreview: ({ nativeSetDragImage }) => nativeSetDragImage?.(element, 16, 16),
            onDragStart: () => setDragging(true),
            onDrop: () => setDragging(false),
          })
        : () => {},
      dropTargetForElements({
        element,
        canDrop: ({ source }) =>
          source.data['group'] === group && !(source.data['keys'] as readonly string[]).includes(id),
        getData: ({ input }) => ({ ...data, edge: nearest(element, input.clientX, input.clientY, layout) }),
        onDrag: ({ self, location }) =>
          setEdge(location.current.dropTargets[0]?.element === element ? (self.data['edge'] as Edge) : undefined),
        onDragLeave: () => setEdge(undefined),
        onDrop: () => setEdge(undefined),
      }),
    )
  }, [group, list, id, layout, disabled, together])

  const handle = disabled ? null : (
    <Grip ref={grip} name={name} index={index} layout={layout} onMove={to => onMove(index, to)} />
  )
  return { row, handle, dragging, edge }
}

interface GripProps {
  ref: RefObject<HTMLButtonElement | null>
  name: string
  index: number
  layout: SortingLayout
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
      aria-label={fillText(texts.move, { name })}
      aria-roledescription={texts.moveHint}
      data-tip={texts.moveHint}
      onKeyDown={pressed}
      className="inline-flex h-8 w-6 shrink-0 cursor-grab! items-center justify-center rounded-md text-faint hover:bg-hover hover:text-ink active:cursor-grabbing!"
    >
      <GripVertical aria-hidden="true" />
    </button>
  )
}

function nearest(element: Element, x: number, y: number, layout: SortingLayout): Edge {
  const box = element.getBoundingClientRect()
  if (layout === 'rows') return y < box.top + box.height / 2 ? 'before' : 'after'
  const left = x < box.left + box.width / 2
  return left === (getComputedStyle(element).direction !== 'rtl') ? 'before' : 'after'
}

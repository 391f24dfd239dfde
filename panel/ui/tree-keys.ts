import { type KeyboardEvent, type RefObject, useEffect, useReducer, useRef } from 'react'
import type { VisibleRow, CanMove, RefuseMove, TreeMove, TreeNode, TreePlace } from './tree-rows.ts'

interface Keys {
  rows: readonly VisibleRow[]
  /** Index of the focused row. */
  currentIndex: number
  go: (index: number) => void
  open: ReadonlySet<string>
  onOpen: (id: string, open: boolean) => void
  onSelect: (node: TreeNode) => void
  onMove: TreeMove | undefined
  canMove: CanMove | undefined
  onRefused: RefuseMove | undefined
  onDisabled: ((node: TreeNode) => void) | undefined
  frame: RefObject<HTMLElement | null>
}

/** A key, independent of the direction of writing: `in` leads to the children of a node, `out` to its parent. */
interface Pressed {
  key: string
  isMove: boolean
}

/** In milliseconds. If a move takes longer, keys that were pressed meanwhile are dropped. */
const maxMoveMs = 5000

/**
 * Keyboard handling of a tree. Keys that are pressed while a node is being moved, or while the next row loads, are
 * queued and handled afterwards.
 */
export function useTreeKeys(keys: Keys) {
  const { rows, currentIndex, go, open, onOpen, onSelect, onMove, canMove, onRefused, onDisabled, frame } = keys
  const typed = useRef({ text: '', timeMs: 0 })
  const queuedKeys = useRef<Pressed[]>([])
  const isMoving = useRef(false)
  const arrived = useRef<string>(undefined)
  const [, redraw] = useReducer((count: number) => count + 1, 0)

  useEffect(() => {
    if (isMoving.current) return
    const id = arrived.current
    arrived.current = undefined
    if (id !== undefined) {
      const index = rows.findIndex(({ node }) => node?.id === id)
      // Drop the queued keys if the moved node is not visible, and do not take the focus back if the user has left the
      // tree.
      if (index < 0 || !isHere(frame.current)) queuedKeys.current = []
      else go(index)
      redraw()
      return
    }
    const [next] = queuedKeys.current
    if (!next || needsUnloadedRow(next)) return
    queuedKeys.current.shift()
    press(next)
    redraw()
  })

  async function move(id: string, place: TreePlace, target: string | undefined) {
    if (!onMove || target === undefined) return
    if (canMove?.(id, place, target) === false) {
      onRefused?.(id, place, target)
      return
    }
    isMoving.current = true
    const startedAt = performance.now()
    arrived.current = await onMove(id, place, target).catch(() => id)
    if (performance.now() - startedAt > maxMoveMs) queuedKeys.current = []
    isMoving.current = false
    redraw()
  }

  function shift({ node, position, siblings, parent }: VisibleRow, key: string) {
    if (!node || node.fixed) return
    const [before, after] = [siblings[position - 1]?.id, siblings[position + 1]?.id]
    if (key === 'ArrowUp') void move(node.id, 'before', before)
    else if (key === 'ArrowDown') void move(node.id, 'after', after)
    else if (key === 'in') void move(node.id, 'inside', before)
    else void move(node.id, 'after', parent)
  }

  const needsUnloadedRow = ({ key, isMove }: Pressed) =>
    !isMove &&
    (key === 'ArrowDown' || key === 'in') &&
    rows[currentIndex + 1] !== undefined &&
    !rows[currentIndex + 1]!.node

  function press({ key, isMove }: Pressed): void {
    const row = rows[currentIndex]
    const node = row?.node
    if (!row || !node) return
    if (isMove) shift(row, key)
    else if (key === 'ArrowDown') go(currentIndex + 1)
    else if (key === 'ArrowUp') go(currentIndex - 1)
    else if (key === 'Home') go(0)
    else if (key === 'End') go(rows.length - 1)
    else if (key === 'in' && node.hasChildren && !open.has(node.id)) onOpen(node.id, true)
    else if (key === 'in' && node.hasChildren) go(currentIndex + 1)
    else if (key === 'out' && open.has(node.id)) onOpen(node.id, false)
    else if (key === 'out') go(rows.findIndex(other => other.node?.id === row.parent))
    else if ((key === 'Enter' || key === ' ') && node.disabled) {
      onDisabled?.(node)
      if (node.hasChildren) onOpen(node.id, !open.has(node.id))
    } else if (key === 'Enter' || key === ' ') onSelect(node)
    else if (key.length === 1) find(key)
  }

  function find(key: string) {
    const fresh = performance.now() - typed.current.timeMs > 600
    typed.current = { text: (fresh ? '' : typed.current.text) + key.toLocaleLowerCase(), timeMs: performance.now() }
    const from = fresh ? currentIndex + 1 : currentIndex
    const order = [...rows.slice(from), ...rows.slice(0, from)]
    const match = order.find(row => row.node?.text.toLocaleLowerCase().startsWith(typed.current.text))
    if (match) go(rows.indexOf(match))
  }

  return (event: KeyboardEvent<HTMLElement>) => {
    const pressed = pressedIn(event)
    if (!pressed) return
    event.preventDefault()
    if (isMoving.current || needsUnloadedRow(pressed)) queuedKeys.current.push(pressed)
    else {
      // A key that can be handled at once cancels the queued ones.
      queuedKeys.current = []
      press(pressed)
    }
  }
}

/** Undefined for keys that the tree does not handle. */
function pressedIn({ key, altKey, ctrlKey, metaKey, currentTarget }: KeyboardEvent<HTMLElement>): Pressed | undefined {
  if (key.startsWith('Arrow')) {
    const forward = getComputedStyle(currentTarget).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
    const isAcross = key === 'ArrowLeft' || key === 'ArrowRight'
    return { key: !isAcross ? key : key === forward ? 'in' : 'out', isMove: altKey }
  }
  const isOurs = ['Home', 'End', 'Enter'].includes(key) || (key.length === 1 && !ctrlKey && !metaKey && !altKey)
  return isOurs ? { key, isMove: false } : undefined
}

/** Whether the focus is in the tree, or on an ancestor, as after a focused row was replaced. */
function isHere(frame: HTMLElement | null): boolean {
  const active = document.activeElement
  return !active || !frame || active.contains(frame) || frame.contains(active)
}

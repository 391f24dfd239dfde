import { type KeyboardEvent, type RefObject, useEffect, useReducer, useRef } from 'react'
import type { Row, TreeMay, TreeMove, TreeNode, TreePlace } from './tree-rows.ts'

interface Keys {
  rows: readonly Row[]
  /** Which of them has the focus. */
  at: number
  go: (index: number) => void
  open: ReadonlySet<string>
  onOpen: (id: string, open: boolean) => void
  onSelect: (node: TreeNode) => void
  onMove: TreeMove | undefined
  canMove: TreeMay | undefined
  frame: RefObject<HTMLElement | null>
}

/** A key as it is meant: towards what is below a node, or away from it, whichever way the text runs. */
interface Pressed {
  key: string
  isMove: boolean
}

/** In milliseconds. What was pressed for something that takes longer is no longer meant when it comes. */
const patience = 5000

/**
 * What keys do in a tree. Those that are pressed while a node is on its way to another place, or while what they lead to is
 * loading, are kept and count when it is there.
 */
export function useTreeKeys({ rows, at, go, open, onOpen, onSelect, onMove, canMove, frame }: Keys) {
  const typed = useRef({ text: '', at: 0 })
  const kept = useRef<Pressed[]>([])
  const isMoving = useRef(false)
  const arrived = useRef<string>(undefined)
  const [, redraw] = useReducer((count: number) => count + 1, 0)

  useEffect(() => {
    if (isMoving.current) return
    const id = arrived.current
    arrived.current = undefined
    if (id !== undefined) {
      const index = rows.findIndex(({ node }) => node?.id === id)
      // What was meant for it is meant for nothing else, and whoever has gone elsewhere is not called back.
      if (index < 0 || !isHere(frame.current)) kept.current = []
      else go(index)
      redraw()
      return
    }
    const [next] = kept.current
    if (!next || leadsToWaiting(next)) return
    kept.current.shift()
    press(next)
    redraw()
  })

  async function move(id: string, place: TreePlace, target: string | undefined) {
    if (!onMove || target === undefined || canMove?.(id, place, target) === false) return
    isMoving.current = true
    const begun = performance.now()
    arrived.current = await onMove(id, place, target).catch(() => id)
    if (performance.now() - begun > patience) kept.current = []
    isMoving.current = false
    redraw()
  }

  function shift({ node, position, siblings, parent }: Row, key: string) {
    if (!node || node.fixed) return
    const [before, after] = [siblings[position - 1]?.id, siblings[position + 1]?.id]
    if (key === 'ArrowUp') void move(node.id, 'before', before)
    else if (key === 'ArrowDown') void move(node.id, 'after', after)
    else if (key === 'in') void move(node.id, 'inside', before)
    else void move(node.id, 'after', parent)
  }

  const leadsToWaiting = ({ key, isMove }: Pressed) =>
    !isMove && (key === 'ArrowDown' || key === 'in') && rows[at + 1] !== undefined && !rows[at + 1]!.node

  function press({ key, isMove }: Pressed): void {
    const row = rows[at]
    const node = row?.node
    if (!row || !node) return
    if (isMove) shift(row, key)
    else if (key === 'ArrowDown') go(at + 1)
    else if (key === 'ArrowUp') go(at - 1)
    else if (key === 'Home') go(0)
    else if (key === 'End') go(rows.length - 1)
    else if (key === 'in' && node.hasChildren && !open.has(node.id)) onOpen(node.id, true)
    else if (key === 'in' && node.hasChildren) go(at + 1)
    else if (key === 'out' && open.has(node.id)) onOpen(node.id, false)
    else if (key === 'out') go(rows.findIndex(other => other.node?.id === row.parent))
    else if ((key === 'Enter' || key === ' ') && node.disabled) onOpen(node.id, !open.has(node.id))
    else if (key === 'Enter' || key === ' ') onSelect(node)
    else if (key.length === 1) find(key)
  }

  function find(key: string) {
    const fresh = performance.now() - typed.current.at > 600
    typed.current = { text: (fresh ? '' : typed.current.text) + key.toLocaleLowerCase(), at: performance.now() }
    const from = fresh ? at + 1 : at
    const order = [...rows.slice(from), ...rows.slice(0, from)]
    const match = order.find(row => row.node?.text.toLocaleLowerCase().startsWith(typed.current.text))
    if (match) go(rows.indexOf(match))
  }

  return (event: KeyboardEvent<HTMLElement>) => {
    const one = pressedIn(event)
    if (!one) return
    event.preventDefault()
    if (isMoving.current || leadsToWaiting(one)) kept.current.push(one)
    else {
      // Nobody waits any longer for what was to come.
      kept.current = []
      press(one)
    }
  }
}

/** Undefined for keys that mean nothing to a tree. */
function pressedIn({ key, altKey, ctrlKey, metaKey, currentTarget }: KeyboardEvent<HTMLElement>): Pressed | undefined {
  if (key.startsWith('Arrow')) {
    const forward = getComputedStyle(currentTarget).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
    const isAcross = key === 'ArrowLeft' || key === 'ArrowRight'
    return { key: !isAcross ? key : key === forward ? 'in' : 'out', isMove: altKey }
  }
  const isOurs = ['Home', 'End', 'Enter'].includes(key) || (key.length === 1 && !ctrlKey && !metaKey && !altKey)
  return isOurs ? { key, isMove: false } : undefined
}

/** A row that is drawn anew has lost the focus to what is around the tree. */
function isHere(frame: HTMLElement | null): boolean {
  const active = document.activeElement
  return !active || !frame || active.contains(frame) || frame.contains(active)
}

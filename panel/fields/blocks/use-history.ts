import {
  createContext,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { isMap } from '../field.ts'
import type { BlockValue } from './block-value.ts'
import { createHistory, type UndoStep } from './history.ts'
import type { TextCaret } from './block-actions.ts'

/** A list of blocks in the field. A layout has one in each column. */
export interface ListHandle {
  blocks: () => readonly BlockValue[]
  /** Puts the caret there, or into none of the texts. */
  activate: (active: TextCaret | undefined) => void
  /** Scrolls a block into view. */
  focusBlock: (id: string) => void
}

/** The lists of a field tell its history where the caret is, and are told where it has to be. */
export interface FieldHistory {
  caretMoved: (caret: TextCaret, isTyped: boolean) => void
  register: (list: ListHandle) => () => void
}

export const BlockHistory = createContext<FieldHistory>({ caretMoved: () => {}, register: () => () => {} })

/** The element of the field that was changed last. Undo goes there while no text has the focus. */
let lastChanged: HTMLElement | null = null

interface Props<Value> {
  value: Value
  onChange: (value: Value) => void
  /** The element of the field. */
  frame: RefObject<HTMLElement | null>
  disabled: boolean
}

/** Undo and redo for all blocks of a field. Every change has to go through `put`. */
export function useHistory<Value>({ value, onChange, frame, disabled }: Props<Value>) {
  const [history] = useState(createHistory<Value>)
  const [lists] = useState(() => new Set<ListHandle>())
  const latest = useRef({ value, onChange })
  useLayoutEffect(() => {
    // A change of another user was merged, or the changes were discarded: undo would also take that back.
    if (value !== latest.current.value && !isSame(value, latest.current.value)) history.clear()
    latest.current = { value, onChange }
  })

  const write = useCallback((next: Value) => {
    latest.current = { ...latest.current, value: next }
    latest.current.onChange(next)
  }, [])
  const put = useCallback(
    (next: Value, step: UndoStep = {}) => {
      history.record(latest.current.value, step, performance.now())
      lastChanged = frame.current
      write(next)
    },
    [history, write, frame],
  )

  useEffect(() => {
    if (disabled) return undefined
    const step = (direction: 'undo' | 'redo') => {
      const entry = history[direction](latest.current.value)
      if (!entry) return
      lastChanged = frame.current
      const before = new Set([...lists].flatMap(list => list.blocks()))
      // The texts have to be there before the caret is put into one.
      flushSync(() => write(entry.value))
      show([...lists], entry.caret, before)
      if (document.activeElement === document.body) frame.current?.focus({ preventScroll: true })
    }
    const pressed = (event: KeyboardEvent) => {
      const direction = event.isComposing ? undefined : directionOf(event)
      if (direction === undefined || !isFor(frame.current, event.target as Element)) return
      event.preventDefault()
      event.stopPropagation()
      step(direction)
    }
    // The menus of the browser.
    const chosen = (event: InputEvent) => {
      const direction = ({ historyUndo: 'undo', historyRedo: 'redo' } as const)[event.inputType]
      if (direction === undefined || !isFor(frame.current, event.target as Element)) return
      event.preventDefault()
      step(direction)
    }
    document.addEventListener('keydown', pressed, { capture: true })
    document.addEventListener('beforeinput', chosen, { capture: true })
    return () => {
      document.removeEventListener('keydown', pressed, { capture: true })
      document.removeEventListener('beforeinput', chosen, { capture: true })
    }
  }, [history, lists, write, frame, disabled])

  const context = useMemo<FieldHistory>(
    () => ({
      caretMoved: history.caretMoved,
      register(list) {
        lists.add(list)
        return () => void lists.delete(list)
      },
    }),
    [history, lists],
  )
  return { put, context }
}

/** Equal, apart from empty values: the server adds those that a new block does not have yet. */
function isSame(one: unknown, other: unknown): boolean {
  if (isMap(one) && isMap(other)) return Object.keys({ ...one, ...other }).every(name => isSame(one[name], other[name]))
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]))
  return Object.is(one, other) || (isEmpty(one) && isEmpty(other))
}

const isEmpty = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0)

/** Keyboards without Latin letters send other characters. */
function directionOf({ key, code, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): 'undo' | 'redo' | undefined {
  if (!(ctrlKey || metaKey) || altKey) return undefined
  const letter = /^[a-z]$/i.test(key) ? key.toLowerCase() : code.replace('Key', '').toLowerCase()
  if (letter === 'z') return shiftKey ? 'redo' : 'undo'
  return letter === 'y' && !shiftKey ? 'redo' : undefined
}

/** Whether a key is for this field: inside of it, or outside of all texts after it was changed. */
function isFor(frame: HTMLElement | null, target: Element): boolean {
  if (!frame) return false
  if (frame.contains(target)) return true
  const isElsewhere = target.closest('input, textarea, select, [contenteditable=true], dialog, [role=dialog]') !== null
  const isInert = frame.closest('[inert], [aria-hidden=true]') !== null
  return lastChanged === frame && !isElsewhere && !isInert
}

function show(lists: readonly ListHandle[], caret: TextCaret | undefined, before: ReadonlySet<BlockValue>) {
  const home = caret && lists.find(list => list.blocks().some(({ id }) => id === caret.block))
  for (const list of lists) list.activate(list === home ? caret : undefined)
  if (home) return
  for (const list of lists) {
    const changed = list.blocks().find(block => !before.has(block))
    if (changed) return list.focusBlock(changed.id)
  }
}

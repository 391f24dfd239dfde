import type { TextCaret } from './block-actions.ts'

/** How a change becomes part of the history. */
export interface UndoStep {
  /** Changes with the same key, shortly after each other, are undone together. */
  key?: string
  /** Joins the last step with the same key, however long ago it was. */
  joins?: boolean
  /** The caret that undo restores: that before a change of the text, the current one, or none. */
  caret?: 'before' | 'now' | 'none'
}

interface HistoryEntry<Value> {
  value: Value
  caret: TextCaret | undefined
}

export interface History<Value> {
  /** Call it when the caret has moved; `isTyped` if typing moved it. */
  caretMoved: (caret: TextCaret, isTyped: boolean) => void
  /** Call it with the value before every change. */
  record: (before: Value, step: UndoStep, timeMs: number) => void
  /** Takes the current value and returns the one to show, or undefined if there is none. */
  undo: (now: Value) => HistoryEntry<Value> | undefined
  redo: (now: Value) => HistoryEntry<Value> | undefined
  clear: () => void
}

const maxSteps = 200
/** A pause in typing begins a new step. */
const pauseMs = 1000

/** The undo and redo stacks of a field. Values are immutable and share their unchanged parts, so nothing is copied. */
export function createHistory<Value>(): History<Value> {
  let done: HistoryEntry<Value>[] = []
  let undone: HistoryEntry<Value>[] = []
  let last: { key: string; timeMs: number } | undefined
  let caret: TextCaret | undefined
  let caretBefore: TextCaret | undefined

  function move(from: HistoryEntry<Value>[], to: HistoryEntry<Value>[], now: Value): HistoryEntry<Value> | undefined {
    const entry = from.pop()
    if (!entry) return undefined
    to.push({ value: now, caret })
    last = undefined
    return entry
  }

  return {
    caretMoved(next, isTyped) {
      if (!isTyped && !isSamePlace(next, caret)) last = undefined
      caretBefore = caret
      caret = next
    },
    record(before, { key, joins = false, caret: which = 'now' }, timeMs) {
      undone = []
      const isJoined = key !== undefined && last?.key === key && (joins || timeMs - last.timeMs < pauseMs)
      if (!isJoined) {
        const restored = { before: caretBefore, now: caret, none: undefined }[which]
        done = [...done.slice(1 - maxSteps), { value: before, caret: restored }]
      }
      last = key === undefined ? undefined : { key, timeMs }
    },
    undo: now => move(done, undone, now),
    redo: now => move(undone, done, now),
    clear() {
      done = []
      undone = []
      last = undefined
    },
  }
}

function isSamePlace(one: TextCaret, other: TextCaret | undefined): boolean {
  const [a, b] = [one.position, other?.position]
  if (one.block !== other?.block || one.part !== other.part || typeof a !== 'object' || typeof b !== 'object')
    return false
  return 'head' in a && 'head' in b && a.head === b.head && a.anchor === b.anchor
}

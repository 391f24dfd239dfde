import { Copy, CopyPlus, Replace, Trash2, X } from 'lucide-react'
import {
  type ClipboardEvent,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useRef,
} from 'react'
import { t } from '../../texts/texts.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import type { SelectionActions } from './block-actions.ts'
import type { ActiveText } from './active-text.ts'
import type { Fieldsets } from './block-value.ts'
import { iconFor } from './choices.ts'
import { writeBlocks } from './clipboard.ts'
import { LateMenu } from './late-menu.tsx'
import { turnsFor } from './turn-into.ts'

interface Props {
  frame: RefObject<HTMLDivElement | null>
  activeText: ActiveText
  actions: SelectionActions
  fieldsets: Fieldsets
  disabled: boolean
}

/** The height of the bars at the top and at the bottom of the window, in pixels. Near them, the page scrolls. */
const edgePx = 90

const blockIn = (frame: HTMLElement | null, target: EventTarget | null): string | undefined => {
  const block = target instanceof Element ? target.closest<HTMLElement>('[data-block]') : null
  return block && frame?.contains(block) ? block.dataset['block'] : undefined
}

/** Keys, mouse and clipboard of the selected blocks of a list. The element of the list has the focus meanwhile. */
export function useBlockSelection({ frame, activeText, actions, fieldsets, disabled }: Props) {
  const count = activeText.useSelectedCount()
  /** The block in which the mouse was pressed. */
  const start = useRef<string>(undefined)
  /** While blocks are selected, a tap on another one selects up to it instead of writing in it. */
  const isTap = useRef(false)

  // The selection grows while the pressed mouse moves over other blocks.
  useEffect(() => {
    let scrolling = 0
    const extendTo = (x: number, y: number) => {
      const [top, bottom] = [edgePx, innerHeight - edgePx]
      const inside = Math.max(top, Math.min(y, bottom))
      const over = blockIn(frame.current, document.elementFromPoint(x, y)) ?? blockIn(frame.current, document.elementFromPoint(x, inside)) // prettier-ignore
      if (over !== undefined && (over !== start.current || activeText.selection())) {
        getSelection()?.removeAllRanges()
        actions.select(start.current!, over)
      }
      cancelAnimationFrame(scrolling)
      if (y === inside || !activeText.selection()) return
      // Beyond the edge, the page scrolls while the mouse is still.
      scrolling = requestAnimationFrame(() => {
        scrollBy(0, (y - inside) / 4)
        extendTo(x, y)
      })
    }
    const moved = (event: globalThis.PointerEvent) => {
      if (start.current === undefined) return
      if (event.buttons !== 1) return end()
      extendTo(event.clientX, event.clientY)
      if (activeText.selection()) event.preventDefault()
    }
    const end = () => {
      start.current = undefined
      cancelAnimationFrame(scrolling)
    }
    document.addEventListener('pointermove', moved)
    document.addEventListener('pointerup', end)
    return () => {
      end()
      document.removeEventListener('pointermove', moved)
      document.removeEventListener('pointerup', end)
    }
  }, [frame, activeText, actions])

  function pointed(event: PointerEvent<HTMLDivElement>) {
    if (disabled || event.button !== 0) return undefined
    const target = event.target as Element
    // Menus are elsewhere in the document.
    if (!frame.current?.contains(target)) return undefined
    const block = blockIn(frame.current, target)
    const isControl = target.closest('button:not([data-block-content]), select, input, [data-block-bar]') !== null
    isTap.current =
      event.pointerType !== 'mouse' && block !== undefined && !isControl && activeText.selection() !== undefined
    if (isTap.current) return event.stopPropagation()
    if (event.pointerType !== 'mouse') return undefined
    const from = activeText.selection()?.anchor ?? activeText.active()?.block
    if (event.shiftKey && block !== undefined && from !== undefined && from !== block) {
      event.preventDefault()
      event.stopPropagation()
      return actions.select(from, block)
    }
    if (isControl) return undefined
    actions.clear()
    start.current = block
    return undefined
  }

  /** A finger that scrolls sends no mouse events, so it selects nothing. */
  function tapped(event: MouseEvent<HTMLDivElement>) {
    if (!isTap.current) return
    event.preventDefault()
    event.stopPropagation()
    const [from, to] = [activeText.selection()?.anchor, blockIn(frame.current, event.target)]
    if (event.type === 'click' && from !== undefined && to !== undefined) actions.select(from, to)
  }

  function pressed(event: KeyboardEvent<HTMLDivElement>) {
    if (disabled || event.defaultPrevented) return
    const mod = event.metaKey || event.ctrlKey
    const isAll = mod && !event.shiftKey && event.key.toLowerCase() === 'a'
    if (isAll && isWhole(event.target)) actions.selectAll()
    else if (event.target !== frame.current || !activeText.selection()) return
    else if (!act(event, mod, isAll)) return
    event.preventDefault()
    event.stopPropagation()
  }

  /** A key while blocks are selected. */
  function act({ key, shiftKey, altKey }: KeyboardEvent, mod: boolean, isAll: boolean): boolean {
    const step = { ArrowUp: -1, ArrowDown: 1 }[key]
    if (isAll) actions.selectAll()
    else if (step !== undefined && altKey && shiftKey) actions.move(step)
    else if (step !== undefined && !altKey && !mod) actions.moveSelection(step, shiftKey)
    else if (mod && shiftKey && key.toLowerCase() === 'd') actions.duplicate()
    else if (key === 'Backspace' || key === 'Delete') actions.remove()
    else if (key === 'Enter' && !mod) enter()
    else if (key === 'Escape') leave()
    else return false
    return true
  }

  const headElement = () => {
    const head = activeText.selection()?.head
    return head === undefined ? null : frame.current?.querySelector(`[data-block="${CSS.escape(head)}"]`)
  }
  /** Edits the last selected block. */
  function enter() {
    const control = headElement()?.querySelector<HTMLElement>('[role="textbox"], textarea, button')
    actions.clear()
    control?.focus()
  }
  function leave() {
    const handle = headElement()?.closest('[role=listitem]')?.querySelector<HTMLElement>('button')
    actions.clear()
    handle?.focus()
  }

  function copied(event: ClipboardEvent<HTMLDivElement>, isCut: boolean) {
    const blocks = actions.selected()
    const isText = (event.target as Element).closest('input, textarea, [contenteditable=true]') !== null
    if (isText || blocks.length === 0) return
    event.preventDefault()
    event.stopPropagation()
    writeBlocks(event.clipboardData, blocks, fieldsets)
    if (isCut && !disabled) actions.remove()
  }

  function left({ relatedTarget }: FocusEvent<HTMLDivElement>) {
    const isInside =
      relatedTarget instanceof Element &&
      (frame.current?.contains(relatedTarget) || relatedTarget.closest('[role=menu]') !== null)
    // The window may have lost the focus, as when blocks are pasted into another one.
    if (!isInside && document.hasFocus() && activeText.selection()) actions.clear()
  }

  const handlers = {
    tabIndex: -1,
    role: count > 0 ? 'group' : undefined,
    'aria-label': count > 0 ? t('fields.blocks.selected', { count }) : undefined,
    onPointerDownCapture: pointed,
    onMouseDownCapture: tapped,
    onClickCapture: tapped,
    onKeyDown: pressed,
    onCopy: (event: ClipboardEvent<HTMLDivElement>) => copied(event, false),
    onCut: (event: ClipboardEvent<HTMLDivElement>) => copied(event, true),
    onBlur: left,
  }
  return {
    handlers,
    bar:
      count > 0 && !disabled ? (
        <SelectionBar count={count} actions={actions} frame={frame} fieldsets={fieldsets} />
      ) : null,
  }
}

/** Whether all of a text without an editor of its own is selected. */
const isWhole = (target: EventTarget): boolean =>
  target instanceof HTMLTextAreaElement && target.selectionStart === 0 && target.selectionEnd === target.value.length

interface BarProps {
  count: number
  actions: SelectionActions
  frame: RefObject<HTMLDivElement | null>
  fieldsets: Fieldsets
}

/** What can be done with the selected blocks, always in sight. */
function SelectionBar({ count, actions, frame, fieldsets }: BarProps) {
  const status = useRef<HTMLSpanElement>(null)
  /** The event of the browser is the way to the clipboard that needs no permission. */
  function copy() {
    // Without selected text, there is nothing to copy for the browser, and no event.
    getSelection()?.selectAllChildren(status.current!)
    document.execCommand('copy')
    getSelection()?.removeAllRanges()
    frame.current?.focus({ preventScroll: true })
  }

  const turns = turnsFor(actions.selected(), fieldsets)
  return (
    <div data-block-bar="" className="pointer-events-none sticky bottom-20 z-20 flex h-0 items-end justify-center">
      <div className="popup pointer-events-auto flex items-center gap-0.5 py-1 ps-3 pe-1 text-sm">
        <span ref={status} role="status" className="me-1">
          {t('fields.blocks.selected', { count })}
        </span>
        <IconButton size="small" icon={Copy} label={t('fields.blocks.copy')} onClick={copy} />
        <IconButton size="small" icon={CopyPlus} label={t('fields.blocks.duplicate')} onClick={actions.duplicate} />
        {turns.length > 0 && (
          <LateMenu
            icon={Replace}
            label={t('fields.blocks.turn')}
            items={() =>
              turns.map(set => ({ text: set.name, icon: iconFor(set), onSelect: () => actions.turnInto(set.type) }))
            }
          />
        )}
        <IconButton size="small" icon={Trash2} label={t('fields.blocks.delete')} onClick={actions.remove} />
        <IconButton size="small" icon={X} label={t('fields.blocks.clear')} onClick={actions.clear} />
      </div>
    </div>
  )
}

import { type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { cx } from '../../ui/cx.ts'
import type { Icon } from '../../ui/icon.ts'

export interface Tool {
  name: string
  text: string
  icon: Icon
  onSelect: () => void
  isPressed?: boolean | undefined
  disabled?: boolean | undefined
  /** Draws a separator before the button. */
  hasSeparator?: boolean | undefined
}

interface Props {
  label: string
  tools: readonly Tool[]
  /** Moves the focus to the toolbar. */
  focused?: boolean | undefined
  /** Escape, or the focus has left the toolbar. */
  onLeave?: ((isEscape: boolean) => void) | undefined
  className?: string | undefined
}

/**
 * A toolbar with a roving tabindex: one button is in the tab order, arrow keys reach the others. It is always one row,
 * which scrolls if it does not fit.
 */
export function Toolbar({ label, tools, focused = false, onLeave, className }: Props) {
  const [current, setCurrent] = useState(0)
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (focused) frame.current?.querySelector<HTMLElement>('button[tabindex="0"]')?.focus()
  }, [focused])

  function left({ relatedTarget }: FocusEvent<HTMLDivElement>) {
    if (!frame.current?.contains(relatedTarget)) onLeave?.(false)
  }

  function pressed(event: KeyboardEvent<HTMLDivElement>) {
    if (event.key === 'Escape' && onLeave) {
      event.preventDefault()
      event.stopPropagation()
      return onLeave(true)
    }
    const rtl = getComputedStyle(event.currentTarget).direction === 'rtl'
    const step = { ArrowRight: rtl ? -1 : 1, ArrowLeft: rtl ? 1 : -1 }[event.key]
    if (step === undefined) return undefined
    event.preventDefault()
    const next = (current + step + tools.length) % tools.length
    setCurrent(next)
    event.currentTarget.querySelectorAll('button')[next]?.focus()
    return undefined
  }

  return (
    <div
      ref={frame}
      role="toolbar"
      aria-label={label}
      onKeyDown={pressed}
      onBlur={onLeave && left}
      className={cx('flex items-center gap-0.5 overflow-x-auto border-b p-1 [scrollbar-width:none]', className)}
    >
      {tools.map(({ icon: Icon, ...tool }, index) => (
        <button
          key={tool.name}
          type="button"
          aria-label={tool.text}
          data-tip={tool.text}
          aria-pressed={tool.isPressed}
          disabled={tool.disabled}
          tabIndex={index === Math.min(current, tools.length - 1) ? 0 : -1}
          // Keeps the focus and the selection in the text.
          onPointerDown={event => event.preventDefault()}
          onClick={tool.onSelect}
          className={cx(
            'flex size-7 shrink-0 items-center justify-center rounded-sm text-muted transition-colors -outline-offset-1',
            'hover:not-disabled:bg-hover hover:not-disabled:text-ink disabled:opacity-45',
            'aria-pressed:bg-accent-soft aria-pressed:text-accent',
            tool.hasSeparator && 'ms-2',
          )}
        >
          <Icon aria-hidden="true" />
        </button>
      ))}
    </div>
  )
}

import { type KeyboardEvent, useState } from 'react'
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
  className?: string | undefined
}

/** A toolbar with a roving tabindex: one button is in the tab order, arrow keys reach the others. */
export function Toolbar({ label, tools, className }: Props) {
  const [current, setCurrent] = useState(0)

  function pressed(event: KeyboardEvent<HTMLDivElement>) {
    const rtl = getComputedStyle(event.currentTarget).direction === 'rtl'
    const step = { ArrowRight: rtl ? -1 : 1, ArrowLeft: rtl ? 1 : -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = (current + step + tools.length) % tools.length
    setCurrent(next)
    event.currentTarget.querySelectorAll('button')[next]?.focus()
  }

  return (
    <div
      role="toolbar"
      aria-label={label}
      onKeyDown={pressed}
      className={cx('flex flex-wrap items-center gap-0.5 border-b p-1', className)}
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
            'flex size-7 items-center justify-center rounded-sm text-muted transition-colors -outline-offset-1',
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

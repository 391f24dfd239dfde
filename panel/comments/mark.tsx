import { MessagesSquare } from 'lucide-react'
import { cx } from '../ui/cx.ts'

interface Props {
  label: string
  count: number
  size?: 'small' | 'label' | 'normal'
  /** Shown while the pointer is over its field. */
  isLate?: boolean
  isPressed?: boolean | undefined
  onClick: () => void
}

/** A button with the number of comments. `focusField` passes it over: it is no control of its field. */
export function Mark({ label, count, size = 'small', isLate = false, isPressed, onClick }: Props) {
  return (
    <button
      type="button"
      data-mark=""
      data-tip={label}
      // As long as there is nothing it is for the pointer only: the drawer offers the same.
      {...(isLate
        ? { 'aria-hidden': true, tabIndex: -1, onMouseDown: event => event.preventDefault() }
        : { 'aria-label': label, 'aria-pressed': isPressed })}
      onClick={onClick}
      className={cx(
        'inline-flex shrink-0 items-center justify-center gap-1 rounded-md hover:bg-hover hover:text-ink aria-pressed:bg-accent-soft',
        size === 'normal' ? 'h-8 min-w-8 px-2' : 'h-6 min-w-6 px-1',
        // In the line of a label.
        size === 'label' && '-my-0.5',
        count > 0 ? 'text-accent' : 'text-muted',
        isLate && 'pointer-coarse:hidden not-in-[[data-field]:hover]:opacity-0',
      )}
    >
      <MessagesSquare aria-hidden="true" />
      {count > 0 && <span className="text-sm font-medium tabular-nums">{count}</span>}
    </button>
  )
}

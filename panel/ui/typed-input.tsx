import { type KeyboardEvent, type ReactNode, useContext, useEffect, useId, useRef, useState } from 'react'
import { type ControlProps, FieldContext } from './control.ts'
import { cx } from './cx.ts'
import { Input } from './input.tsx'

interface Props extends ControlProps {
  value: string
  /** The formatted value, shown while the user does not type. */
  shown: string
  /** Parses the input; undefined if it is invalid. */
  read: (typed: string) => string | undefined
  onChange: (value: string) => void
  onKeyDown: (event: KeyboardEvent) => void
  /** Error message for invalid input. */
  wrong: string
  placeholder?: string | undefined
  action?: ReactNode
  className?: string | undefined
}

/**
 * An input whose displayed format differs from the stored one. It is parsed on every keystroke, and formatted on blur.
 */
export function TypedInput({ value, shown, read, onChange, onKeyDown, wrong, className, ...props }: Props) {
  const [typed, setTyped] = useState<string>()
  const [isWrong, setWrong] = useState(false)
  const latest = useRef(value)
  const wrongId = useId()
  const describedBy = useContext(FieldContext)?.describedBy

  // The value changed from outside: by arrow keys, the calendar or another window.
  useEffect(() => {
    if (value === latest.current) return
    latest.current = value
    setTyped(undefined)
    setWrong(false)
  }, [value])

  function change(text: string) {
    setTyped(text)
    setWrong(false)
    const next = text.trim() === '' ? '' : read(text)
    if (next === undefined || next === value) return
    latest.current = next
    onChange(next)
  }

  function leave() {
    const isUnread = typed !== undefined && typed.trim() !== '' && read(typed) === undefined
    setWrong(isUnread)
    if (!isUnread) setTyped(undefined)
  }

  return (
    <div className={cx('min-w-0', className)}>
      <Input
        {...props}
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong ? [describedBy, wrongId].filter(Boolean).join(' ') : undefined}
        value={typed ?? shown}
        onChange={change}
        onBlur={leave}
        onKeyDown={event => {
          if (event.key === 'Enter') leave()
          else onKeyDown(event)
        }}
        spellCheck={false}
        className="tabular-nums"
      />
      {isWrong && (
        <p id={wrongId} role="alert" className="mt-1 text-sm text-danger">
          {wrong}
        </p>
      )}
    </div>
  )
}

import { type KeyboardEvent, type ReactNode, useContext, useEffect, useId, useRef, useState } from 'react'
import { type ControlProps, FieldContext } from './control.ts'
import { cx } from './cx.ts'
import { Input } from './input.tsx'

interface Props extends ControlProps {
  value: string
  /** The value in the displayed format, shown while the user does not type. */
  formatted: string
  /** Parses the input; undefined if it is invalid. */
  parse: (typed: string) => string | undefined
  onChange: (value: string) => void
  onKeyDown: (event: KeyboardEvent) => void
  /** Error message for invalid input. */
  invalidText: string
  placeholder?: string | undefined
  action?: ReactNode
  className?: string | undefined
}

/**
 * An input whose displayed format differs from the stored one. It is parsed on every keystroke, and formatted on blur.
 */
export function TypedInput({ value, formatted, parse, onChange, onKeyDown, invalidText, className, ...props }: Props) {
  const [typed, setTyped] = useState<string>()
  const [isInvalid, setInvalid] = useState(false)
  const latest = useRef(value)
  const errorId = useId()
  const describedBy = useContext(FieldContext)?.describedBy

  // The value changed from outside: by arrow keys, the calendar or another window.
  useEffect(() => {
    if (value === latest.current) return
    latest.current = value
    setTyped(undefined)
    setInvalid(false)
  }, [value])

  function change(text: string) {
    setTyped(text)
    setInvalid(false)
    const next = text.trim() === '' ? '' : parse(text)
    if (next === undefined || next === value) return
    latest.current = next
    onChange(next)
  }

  function leave() {
    const isUnparsed = typed !== undefined && typed.trim() !== '' && parse(typed) === undefined
    setInvalid(isUnparsed)
    if (!isUnparsed) setTyped(undefined)
  }

  return (
    <div className={cx('min-w-0', className)}>
      <Input
        {...props}
        aria-invalid={isInvalid || undefined}
        aria-describedby={isInvalid ? [describedBy, errorId].filter(Boolean).join(' ') : undefined}
        value={typed ?? formatted}
        onChange={change}
        onBlur={leave}
        onKeyDown={event => {
          if (event.key === 'Enter') leave()
          else onKeyDown(event)
        }}
        spellCheck={false}
        className="tabular-nums"
      />
      {isInvalid && (
        <p id={errorId} role="alert" className="mt-1 text-sm text-danger">
          {invalidText}
        </p>
      )}
    </div>
  )
}

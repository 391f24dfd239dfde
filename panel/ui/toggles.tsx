import { useId } from 'react'
import { useGroup } from './control.ts'
import type { ControlProps } from './control.ts'
import { cx } from './cx.ts'
import type { Option } from './option.ts'

interface Props<Value extends string> extends ControlProps {
  value: Value | null
  onChange: (value: Value | null) => void
  options: readonly Option<Value>[]
  /** Clicking the selected option deselects it. */
  reset?: boolean | undefined
  /** False shows only icons; the text becomes the accessible name and the tooltip. */
  labels?: boolean | undefined
  /** Takes the full width. */
  grow?: boolean | undefined
}

/** A few options side by side. They are radio buttons, so arrow keys move between them. */
export function Toggles<Value extends string>(props: Props<Value>) {
  const { value, onChange, options, reset = false, labels = true, grow = true } = props
  const { id, name, disabled, autoFocus, ...aria } = useGroup(props)
  const generatedId = useId()

  return (
    <div
      role="radiogroup"
      id={id}
      {...aria}
      className={cx('flex flex-wrap gap-0.5 rounded-md bg-sunken p-0.5', grow ? 'w-full' : 'w-fit max-w-full')}
    >
      {options.map((option, index) => {
        const Icon = option.icon
        const isDisabled = disabled || option.disabled

        return (
          <label
            key={option.value}
            data-tip={labels ? undefined : option.text}
            className={cx(
              'relative flex min-h-7 min-w-8 items-center justify-center gap-2 rounded-[5px] border border-transparent px-2.5 py-0.5',
              'text-muted transition-colors has-focus-visible:outline-2 has-focus-visible:outline-focus',
              'has-checked:border-line-strong has-checked:bg-surface has-checked:font-medium has-checked:text-ink',
              grow && 'flex-1',
              isDisabled ? 'opacity-55' : 'cursor-pointer hover:text-ink',
            )}
          >
            <input
              type="radio"
              name={name ?? generatedId}
              aria-label={labels ? undefined : option.text}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              onClick={() => {
                if (reset && option.value === value) onChange(null)
              }}
              onKeyDown={event => {
                if (reset && (event.key === 'Backspace' || event.key === 'Delete')) onChange(null)
              }}
              disabled={isDisabled}
              autoFocus={autoFocus && index === 0}
              className="pointer-events-none absolute inset-0 appearance-none outline-none"
            />
            {Icon && <Icon aria-hidden="true" />}
            {labels && <span className="min-w-0 text-center wrap-anywhere">{option.text}</span>}
          </label>
        )
      })}
    </div>
  )
}

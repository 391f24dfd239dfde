import { useId } from 'react'
import { useGroup } from './control.ts'
import type { ControlProps } from './control.ts'
import { cx } from './cx.ts'
import type { Option } from './option.ts'

interface Props<Value extends string> extends ControlProps {
  value: Value | null
  onChange: (value: Value) => void
  options: readonly Option<Value>[]
  columns?: number | undefined
}

export function RadioGroup<Value extends string>(props: Props<Value>) {
  const { value, onChange, options, columns = 1 } = props
  const { id, name, disabled, autoFocus, ...aria } = useGroup(props)
  const generatedId = useId()

  return (
    <div
      role="radiogroup"
      id={id}
      {...aria}
      className="grid gap-x-4 gap-y-1.5 max-sm:!grid-cols-1"
      style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
    >
      {options.map((option, index) => {
        const isDisabled = disabled || option.disabled

        return (
          <label
            key={option.value}
            className={cx('flex min-h-6 items-start gap-2', isDisabled ? 'text-muted' : 'cursor-pointer')}
          >
            <input
              type="radio"
              name={name ?? generatedId}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              disabled={isDisabled}
              autoFocus={autoFocus && index === 0}
              className={cx(
                'mt-0.5 size-4 shrink-0 appearance-none rounded-full border border-edge bg-surface transition-[border-width]',
                'checked:border-[5px] checked:border-accent enabled:cursor-pointer enabled:hover:border-accent disabled:opacity-55',
              )}
            />
            <span className="min-w-0 wrap-anywhere">
              {option.text}
              {option.info && <span className="block text-sm text-muted">{option.info}</span>}
            </span>
          </label>
        )
      })}
    </div>
  )
}

import { Check, Minus } from 'lucide-react'
import type { ReactNode } from 'react'
import { useControl } from './control.ts'
import type { ControlProps } from './control.ts'
import { cx } from './cx.ts'

interface Props extends ControlProps {
  value: boolean
  onChange: (value: boolean) => void
  label?: ReactNode
  info?: ReactNode
  /** Some of the items it represents are selected. */
  indeterminate?: boolean | undefined
  className?: string | undefined
}

export function Checkbox(props: Props) {
  const { value, onChange, label, info, indeterminate = false, className } = props
  const control = useControl(props)
  const hasText = Boolean(label || info)

  return (
    <label
      className={cx(
        'inline-flex min-h-6 gap-2',
        hasText ? 'items-start' : 'min-w-6 items-center justify-center',
        control.disabled ? 'text-muted' : 'cursor-pointer',
        className,
      )}
    >
      <span className={cx('relative inline-flex size-4 shrink-0', hasText && 'mt-0.5')}>
        <input
          {...control}
          // The checkbox has its own `<label>`. With the id of the Field, the `<label for>` of the Field would name it again.
          id={label ? props.id : control.id}
          type="checkbox"
          checked={value}
          ref={element => {
            if (element) element.indeterminate = indeterminate
          }}
          onChange={event => onChange(event.target.checked)}
          className={cx(
            'peer size-4 appearance-none rounded-sm border border-edge bg-surface transition-colors',
            'checked:border-accent checked:bg-accent indeterminate:border-accent indeterminate:bg-accent',
            'enabled:cursor-pointer enabled:hover:border-accent disabled:opacity-55 aria-invalid:border-danger',
          )}
        />
        {indeterminate ? (
          <Minus aria-hidden="true" className="pointer-events-none absolute inset-0 scale-75 text-on-accent" />
        ) : (
          <Check
            aria-hidden="true"
            className="pointer-events-none absolute inset-0 scale-80 text-on-accent opacity-0 peer-checked:opacity-100 [stroke-width:3]"
          />
        )}
      </span>
      {hasText && (
        <span className="min-w-0 wrap-anywhere">
          {label}
          {info && <span className="block text-sm text-muted">{info}</span>}
        </span>
      )}
    </label>
  )
}

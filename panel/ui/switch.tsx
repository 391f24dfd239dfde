import type { ReactNode } from 'react'
import { useControl } from './control.ts'
import type { ControlProps } from './control.ts'
import { cx } from './cx.ts'

interface Props extends ControlProps {
  value: boolean
  onChange: (value: boolean) => void
  label?: ReactNode
  className?: string | undefined
}

export function Switch(props: Props) {
  const { value, onChange, label, className } = props
  const control = useControl(props)

  return (
    <label className={cx('inline-flex min-h-8 items-center gap-2.5', !control.disabled && 'cursor-pointer', className)}>
      <span className="relative inline-flex h-5 w-9 shrink-0">
        <input
          {...control}
          type="checkbox"
          role="switch"
          checked={value}
          onChange={event => onChange(event.target.checked)}
          className={cx(
            'peer h-5 w-9 appearance-none rounded-full border border-edge bg-sunken transition-colors',
            'checked:border-accent checked:bg-accent enabled:cursor-pointer disabled:opacity-55',
          )}
        />
        <span
          aria-hidden="true"
          className={cx(
            'pointer-events-none absolute start-[3px] top-[3px] size-3.5 rounded-full bg-edge transition-[inset-inline-start,background-color]',
            'peer-checked:start-[19px] peer-checked:bg-on-accent',
          )}
        />
      </span>
      {label && <span className="min-w-0 wrap-anywhere">{label}</span>}
    </label>
  )
}

import { Select as Base } from '@base-ui/react/select'
import { Check, ChevronsUpDown } from 'lucide-react'
import { useControl } from './control.ts'
import type { ControlProps } from './control.ts'
import { cx } from './cx.ts'
import type { Option } from './option.ts'

interface Props<Value extends string> extends ControlProps {
  value: Value | null
  onChange: (value: Value | null) => void
  options: readonly Option<Value>[]
  placeholder?: string | undefined
  /** Adds an empty option, with the placeholder as its text, at the top. */
  empty?: boolean | undefined
  className?: string | undefined
}

export function Select<Value extends string>(props: Props<Value>) {
  const { value, onChange, options, placeholder = '—', empty = false, className } = props
  const { name, disabled, ...control } = useControl(props)
  const chosen = options.find(option => option.value === value)

  return (
    <Base.Root
      value={chosen ? value : null}
      onValueChange={onChange}
      disabled={disabled ?? false}
      name={name}
      items={options.map(option => ({ value: option.value, label: option.text }))}
    >
      <Base.Trigger
        {...control}
        className={cx('control flex min-h-8 items-center gap-2 px-2.5 py-1 text-start', className)}
      >
        {chosen?.icon && <chosen.icon aria-hidden="true" className="text-muted" />}
        <span className={cx('min-w-0 flex-1 truncate', !chosen && 'text-faint')}>{chosen?.text ?? placeholder}</span>
        <Base.Icon className="text-faint">
          <ChevronsUpDown aria-hidden="true" />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="z-40" sideOffset={4} alignItemWithTrigger={false}>
          <Base.Popup className="popup max-h-[min(22rem,var(--available-height))] max-w-(--available-width) min-w-(--anchor-width) overflow-y-auto p-1">
            {empty && (
              <Base.Item value={null} className="option text-muted">
                {placeholder}
              </Base.Item>
            )}
            {options.map(option => (
              <Base.Item key={option.value} value={option.value} disabled={option.disabled ?? false} className="option">
                {option.icon && <option.icon aria-hidden="true" className="text-muted" />}
                <Base.ItemText className="min-w-0 flex-1 wrap-anywhere">
                  {option.text}
                  {option.info && <span className="block text-sm text-muted">{option.info}</span>}
                </Base.ItemText>
                <Base.ItemIndicator className="text-accent">
                  <Check aria-hidden="true" />
                </Base.ItemIndicator>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

import type { KeyboardEvent, ReactNode, Ref } from 'react'
import { useControl } from './control.ts'
import type { ControlProps } from './control.ts'
import { cx } from './cx.ts'
import type { Icon } from './icon.ts'

interface Props extends ControlProps {
  value: string
  onChange: (value: string) => void
  type?: 'text' | 'email' | 'tel' | 'url' | 'search' | 'number' | undefined
  size?: 'normal' | 'large' | undefined
  placeholder?: string | undefined
  icon?: Icon | undefined
  /** Text before and after the value, such as a unit. */
  before?: ReactNode
  after?: ReactNode
  /** A button inside the frame, at the end. */
  action?: ReactNode
  mono?: boolean | undefined
  readOnly?: boolean | undefined
  spellCheck?: boolean | undefined
  maxLength?: number | undefined
  min?: number | undefined
  max?: number | undefined
  step?: number | 'any' | undefined
  inputMode?: 'text' | 'numeric' | 'decimal' | 'email' | 'tel' | 'url' | 'search' | undefined
  autoComplete?: string | undefined
  autoCapitalize?: string | undefined
  dir?: 'ltr' | 'rtl' | 'auto' | undefined
  onBlur?: (() => void) | undefined
  onKeyDown?: ((event: KeyboardEvent<HTMLInputElement>) => void) | undefined
  className?: string | undefined
  ref?: Ref<HTMLInputElement> | undefined
}

export function Input(props: Props) {
  const { value, onChange, type = 'text', size, icon: Icon, before, after, action, mono, className, ref } = props
  const control = useControl(props)
  const height = size === 'large' ? 'min-h-10' : 'min-h-8'

  return (
    <div
      className={cx('control flex items-center', height, className)}
      data-disabled={control.disabled ? '' : undefined}
    >
      {Icon && <Icon aria-hidden="true" className="ms-2.5 text-faint" />}
      {before !== undefined && before !== '' && <span className="ms-2.5 shrink-0 text-muted">{before}</span>}
      <input
        {...control}
        ref={ref}
        type={type}
        value={value}
        onChange={event => onChange(event.target.value)}
        placeholder={props.placeholder}
        readOnly={props.readOnly}
        spellCheck={props.spellCheck}
        maxLength={props.maxLength}
        min={props.min}
        max={props.max}
        step={props.step}
        inputMode={props.inputMode}
        autoComplete={props.autoComplete ?? 'off'}
        autoCapitalize={props.autoCapitalize}
        dir={props.dir}
        onBlur={props.onBlur}
        onKeyDown={props.onKeyDown}
        className={cx(
          'min-w-0 flex-1 self-stretch bg-transparent px-2.5 outline-none',
          mono && 'font-mono text-sm',
          type === 'number' && 'tabular-nums',
          type === 'search' && '[&::-webkit-search-cancel-button]:hidden',
        )}
      />
      {after !== undefined && after !== '' && <span className="me-2.5 shrink-0 text-muted">{after}</span>}
      {action && <span className="me-0.5 flex shrink-0 items-center">{action}</span>}
    </div>
  )
}

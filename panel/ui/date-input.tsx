import { useControl } from './control.ts'
import type { ControlProps } from './control.ts'
import { cx } from './cx.ts'

interface Props extends ControlProps {
  /** `YYYY-MM-DD`, or empty. */
  value: string
  onChange: (value: string) => void
  min?: string | undefined
  max?: string | undefined
  className?: string | undefined
}

/** The browser's own date field: it knows the person's calendar, keyboard and screen reader better than we could. */
export function DateInput(props: Props) {
  const control = useControl(props)

  return (
    <input
      {...control}
      type="date"
      value={props.value}
      min={props.min}
      max={props.max ?? '9999-12-31'}
      onChange={event => props.onChange(event.target.value)}
      className={cx('control min-h-8 px-2.5 tabular-nums', props.className)}
    />
  )
}

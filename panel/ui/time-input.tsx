import { useControl } from './control.ts'
import type { ControlProps } from './control.ts'
import { cx } from './cx.ts'

interface Props extends ControlProps {
  /** `HH:MM` or `HH:MM:SS`, or empty. */
  value: string
  onChange: (value: string) => void
  min?: string | undefined
  max?: string | undefined
  /** In seconds. Below 60 the seconds are shown. */
  step?: number | undefined
  className?: string | undefined
}

export function TimeInput(props: Props) {
  const control = useControl(props)

  return (
    <input
      {...control}
      type="time"
      value={props.value}
      min={props.min}
      max={props.max}
      step={props.step}
      onChange={event => props.onChange(event.target.value)}
      className={cx('control min-h-8 px-2.5 tabular-nums', props.className)}
    />
  )
}

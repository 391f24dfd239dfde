import { useControl } from './control.ts'
import type { ControlProps } from './control.ts'

interface Props extends ControlProps {
  value: number
  onChange: (value: number) => void
  min?: number | undefined
  max?: number | undefined
  step?: number | undefined
  /** The text beside the slider; by default the value. */
  text?: string | undefined
  hideText?: boolean | undefined
}

export function RangeInput(props: Props) {
  const { value, onChange, min = 0, max = 100, step = 1, text, hideText } = props
  const control = useControl(props)

  return (
    <div className="flex min-h-8 items-center gap-3">
      <input
        {...control}
        type="range"
        value={value}
        min={min}
        max={max}
        step={step}
        aria-valuetext={text}
        onChange={event => onChange(event.target.valueAsNumber)}
        className="h-6 min-w-0 flex-1 accent-accent disabled:opacity-55"
      />
      {!hideText && (
        <output className="min-w-10 rounded-md bg-sunken px-2 py-0.5 text-center text-sm tabular-nums">
          {text ?? value}
        </output>
      )}
    </div>
  )
}

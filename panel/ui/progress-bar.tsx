import { cx } from './cx.ts'

interface Props {
  /** From 0 to 1; undefined if the total is unknown. */
  value?: number | undefined
  label: string
  tone?: 'accent' | 'danger' | undefined
}

export function ProgressBar({ value, label, tone = 'accent' }: Props) {
  const percent = value === undefined ? undefined : Math.round(Math.min(Math.max(value, 0), 1) * 100)

  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className="relative h-1 w-full overflow-hidden rounded-full bg-line"
    >
      <div
        className={cx(
          'absolute inset-y-0 rounded-full',
          tone === 'danger' ? 'bg-danger' : 'bg-accent',
          percent === undefined ? 'w-2/5 animate-[travel_1.1s_linear_infinite]' : 'start-0 transition-[width]',
        )}
        style={percent === undefined ? undefined : { width: `${percent}%` }}
      />
    </div>
  )
}

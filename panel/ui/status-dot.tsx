import { cx } from './cx.ts'

interface Props {
  tone: 'good' | 'warn' | 'danger' | 'info' | 'neutral'
  /** What the dot means, as text. */
  label: string
  /** Shows the label beside the dot instead of in its tooltip. */
  isLabelShown?: boolean | undefined
}

// Not by colour alone: `good` is full, `info` is half full, `neutral` is empty.
const tones = {
  good: 'border-good bg-good',
  info: 'border-info bg-linear-to-b from-info from-50% to-transparent to-50%',
  warn: 'border-warn bg-warn',
  danger: 'border-danger',
  neutral: 'border-faint',
}

export function StatusDot({ tone, label, isLabelShown }: Props) {
  return (
    <span className="inline-flex min-w-0 items-center gap-2" data-tip={isLabelShown ? undefined : label}>
      <span aria-hidden="true" className={cx('size-2.5 shrink-0 rounded-full border-[1.5px]', tones[tone])} />
      <span className={isLabelShown ? 'truncate' : 'sr-only'}>{label}</span>
    </span>
  )
}

import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import type { Icon } from './icon.ts'

interface Props {
  children: ReactNode
  tone?: 'neutral' | 'accent' | 'good' | 'warn' | 'danger' | 'info' | undefined
  icon?: Icon | undefined
}

const tones = {
  neutral: 'bg-sunken text-muted',
  accent: 'bg-accent-soft text-accent',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
  info: 'bg-info-soft text-info',
}

export function Badge({ children, tone = 'neutral', icon: Icon }: Props) {
  return (
    <span
      className={cx('inline-flex h-5 max-w-full items-center gap-1 rounded-sm px-1.5 text-xs font-medium', tones[tone])}
    >
      {Icon && <Icon aria-hidden="true" className="size-3" />}
      <span className="truncate">{children}</span>
    </span>
  )
}

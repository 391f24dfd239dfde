import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import type { Icon } from './icon.ts'

interface Props {
  children?: ReactNode
  title?: ReactNode
  tone?: 'neutral' | 'info' | 'good' | 'warn' | 'danger' | undefined
  icon?: Icon | undefined
  action?: ReactNode
  /** Announced by screen readers when it appears. */
  live?: boolean | undefined
}

const tones = {
  neutral: { icon: Info, frame: 'bg-sunken border-line', mark: 'text-muted' },
  info: { icon: Info, frame: 'bg-info-soft border-info/25', mark: 'text-info' },
  good: { icon: CircleCheck, frame: 'bg-good-soft border-good/25', mark: 'text-good' },
  warn: { icon: TriangleAlert, frame: 'bg-warn-soft border-warn/25', mark: 'text-warn' },
  danger: { icon: CircleAlert, frame: 'bg-danger-soft border-danger/25', mark: 'text-danger' },
}

export function Notice({ children, title, tone = 'neutral', icon, action, live }: Props) {
  const { frame, mark, icon: defaultIcon } = tones[tone]
  const Icon = icon ?? defaultIcon

  return (
    <div
      role={live ? 'alert' : undefined}
      className={cx('flex flex-wrap items-start gap-x-2.5 gap-y-2 rounded-md border px-3 py-2', frame)}
    >
      <Icon aria-hidden="true" className={cx('mt-0.5', mark)} />
      <div className="min-w-0 flex-1 basis-48 wrap-anywhere [&_a]:underline">
        {title && <p className="font-medium">{title}</p>}
        {children}
      </div>
      {action && <div className="-my-0.5 ms-auto flex shrink-0 gap-2">{action}</div>}
    </div>
  )
}

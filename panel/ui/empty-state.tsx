import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import type { Icon } from './icon.ts'

interface Props {
  icon: Icon
  /** One sentence. */
  text: ReactNode
  /** The suggested next action. */
  action?: ReactNode
  tone?: 'neutral' | 'danger' | undefined
  /** For a list or field instead of a page. */
  small?: boolean | undefined
}

/** No content, an error or no connection: an icon, a sentence and a next action. */
export function EmptyState({ icon: Icon, text, action, tone = 'neutral', small }: Props) {
  return (
    <div
      role={tone === 'danger' ? 'alert' : undefined}
      className={cx('flex flex-col items-center justify-center gap-3 text-center', small ? 'px-4 py-5' : 'px-6 py-14')}
    >
      <span
        className={cx(
          'flex items-center justify-center rounded-full',
          small ? 'size-8' : 'size-11',
          tone === 'danger' ? 'bg-danger-soft text-danger' : 'bg-sunken text-muted',
        )}
      >
        <Icon aria-hidden="true" className={small ? undefined : 'size-5'} />
      </span>
      <p className="max-w-96 wrap-anywhere text-balance text-muted">{text}</p>
      {action}
    </div>
  )
}

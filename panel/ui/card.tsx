import type { ReactNode } from 'react'
import { cx } from './cx.ts'

interface Props {
  children: ReactNode
  title?: ReactNode
  /** Buttons at the end of the title. */
  actions?: ReactNode
  footer?: ReactNode
  /** No padding, for tables and lists. */
  flush?: boolean | undefined
  className?: string | undefined
}

export function Card({ children, title, actions, footer, flush, className }: Props) {
  return (
    <section className={cx('min-w-0 rounded-lg border bg-surface', className)}>
      {(title || actions) && (
        <header className="flex min-h-12 items-center gap-2 border-b py-1.5 ps-4 pe-3">
          <h2 className="min-w-0 flex-1 font-semibold wrap-anywhere">{title}</h2>
          {actions}
        </header>
      )}
      <div className={cx(!flush && 'p-4')}>{children}</div>
      {footer && <footer className="flex flex-wrap justify-end gap-2 border-t px-4 py-3">{footer}</footer>}
    </section>
  )
}

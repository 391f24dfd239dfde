import type { ReactNode } from 'react'

interface Props {
  title: ReactNode
  /** Beside the title: badges, and the status button of a page. */
  badges?: ReactNode
  /** A line of text below the title. */
  info?: ReactNode
  /** Buttons, the primary one last. */
  actions?: ReactNode
}

export function PageHeader({ title, badges, info, actions }: Props) {
  return (
    <header className="flex flex-wrap items-start gap-x-4 gap-y-3 pb-5">
      <div className="min-w-0 flex-1 basis-64">
        <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 text-2xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
          {badges}
        </div>
        {info && (
          <p className="mt-1 wrap-anywhere text-muted">
            <bdi>{info}</bdi>
          </p>
        )}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  )
}

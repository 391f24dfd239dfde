import { ChevronRight } from 'lucide-react'
import { cloneElement } from 'react'
import type { ReactElement } from 'react'
import { cx } from './cx.ts'
import type { Icon } from './icon.ts'
import { useUiTexts } from './texts.ts'

export interface Crumb {
  text: string
  icon?: Icon | undefined
  /** The link element, without children. The last crumb is the current page and needs none. */
  render?: ReactElement<Record<string, unknown>> | undefined
}

export function Breadcrumb({ crumbs }: { crumbs: readonly Crumb[] }) {
  const texts = useUiTexts()

  return (
    <nav aria-label={texts.breadcrumb} className="min-w-0">
      <ol className="flex min-w-0 items-center">
        {crumbs.map(({ text, icon: Icon, render }, index) => {
          const last = index === crumbs.length - 1
          const contents = (
            <>
              {Icon && <Icon aria-hidden="true" />}
              <bdi className="truncate">{text}</bdi>
            </>
          )

          return (
            <li
              key={index}
              className={cx(
                'flex items-center',
                // A long path is shortened in the middle; a narrow screen shows only the step back.
                last ? 'min-w-0' : 'max-w-40 shrink-0 max-sm:[&:not(:nth-last-child(2))]:hidden',
                index > 0 && index < crumbs.length - 3 && 'hidden',
              )}
            >
              {index > 0 && (
                <ChevronRight
                  aria-hidden="true"
                  className={cx('size-3.5 text-faint rtl:rotate-180', !last && 'max-sm:hidden')}
                />
              )}
              {render ? (
                cloneElement(render, {
                  className:
                    'flex min-h-8 min-w-0 items-center gap-1.5 rounded-md px-1.5 text-muted hover:bg-hover hover:text-ink',
                  children: contents,
                  ...(last && { 'aria-current': 'page' }),
                })
              ) : (
                <span
                  aria-current={last ? 'page' : undefined}
                  className="flex min-w-0 items-center gap-1.5 px-1.5 font-medium"
                >
                  {contents}
                </span>
              )}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

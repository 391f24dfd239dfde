import { cloneElement } from 'react'
import type { ReactElement, ReactNode } from 'react'
import { cx } from './cx.ts'
import type { Icon } from './icon.ts'

interface Props {
  title: ReactNode
  info?: ReactNode
  icon?: Icon | undefined
  /** An image, avatar or status in place of the icon. */
  image?: ReactNode
  /** Before the image: a handle, a checkbox. */
  before?: ReactNode
  /** At the end: a badge, a status, buttons. They are not part of the link. */
  after?: ReactNode
  onSelect?: (() => void) | undefined
  /** The link element, without children. */
  render?: ReactElement<Record<string, unknown>> | undefined
  selected?: boolean | undefined
  disabled?: boolean | undefined
}

/** A row that is clickable as a whole, although only its title is the link or button. */
export function ListItem({
  title,
  info,
  icon: Icon,
  image,
  before,
  after,
  onSelect,
  render,
  selected,
  disabled,
}: Props) {
  // A title in another direction than the interface keeps its beginning when it is cut off.
  const nameClass =
    'max-w-full min-w-0 truncate font-medium text-left after:absolute after:inset-0 after:rounded-md rtl:text-right'
  const name = render ? (
    cloneElement(render, { dir: 'auto', className: cx(nameClass, 'block'), children: title })
  ) : onSelect ? (
    <button
      type="button"
      dir="auto"
      onClick={onSelect}
      disabled={disabled}
      aria-pressed={selected}
      className={nameClass}
    >
      {title}
    </button>
  ) : (
    <span dir="auto" className="block truncate text-left font-medium rtl:text-right">
      {title}
    </span>
  )
  const active = (render || onSelect) && !disabled

  return (
    <div
      className={cx(
        'relative flex min-h-11 items-center gap-3 py-1.5 ps-4 pe-3 transition-colors',
        active && 'hover:bg-hover has-[a:focus-visible]:bg-hover',
        selected && 'bg-accent-soft',
        disabled && 'text-muted',
      )}
    >
      {before && <div className="relative z-10 -ms-1 flex items-center">{before}</div>}
      {image ?? (Icon && <Icon aria-hidden="true" className="text-muted" />)}
      <div className="min-w-0 flex-1">
        {name}
        {info && (
          <div className="truncate text-sm text-muted">
            <bdi>{info}</bdi>
          </div>
        )}
      </div>
      {after && <div className="relative z-10 flex shrink-0 items-center gap-1">{after}</div>}
    </div>
  )
}

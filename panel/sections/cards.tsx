import { cloneElement, type ReactNode } from 'react'
import { cx } from '../ui/cx.ts'
import type { Icon } from '../ui/icon.ts'
import { Sortable } from '../ui/sortable.tsx'
import type { Item, Sorting } from './item.ts'
import { ItemImage } from './item-image.tsx'
import { linkTo } from './link.tsx'
import { SelectBox, type LayoutSelection, toggleOnClick } from './select-box.tsx'

interface Props<Row extends Item> {
  items: readonly Row[]
  label: string
  size?: string | undefined
  /** The text is beside the image instead of below it. */
  small?: boolean | undefined
  defaultIcon?: Icon | undefined
  sorting: Sorting<Row>
  layoutSelection?: LayoutSelection<Row> | undefined
  after?: ((item: Row) => ReactNode) | undefined
  onHover?: ((item: Row) => void) | undefined
}

const widths: Readonly<Record<string, string>> = {
  tiny: 'grid-cols-[repeat(auto-fill,minmax(7rem,1fr))]',
  small: 'grid-cols-[repeat(auto-fill,minmax(9rem,1fr))]',
  auto: 'grid-cols-[repeat(auto-fill,minmax(11rem,1fr))]',
  medium: 'grid-cols-[repeat(auto-fill,minmax(14rem,1fr))]',
  large: 'grid-cols-[repeat(auto-fill,minmax(18rem,1fr))]',
  huge: 'grid-cols-[repeat(auto-fill,minmax(24rem,1fr))]',
}

/** Positioned over the image. Visible on hover or focus, and always on touch devices. */
const handleClass =
  'absolute start-1.5 top-1.5 z-10 rounded-md border bg-surface opacity-0 transition-opacity group-hover:opacity-100 has-[:focus-visible]:opacity-100 pointer-coarse:opacity-100'

export function Cards<Row extends Item>({
  items,
  label,
  size = 'auto',
  small = false,
  defaultIcon,
  sorting,
  layoutSelection,
  after,
  onHover,
}: Props<Row>) {
  const card = (item: Row, handle: ReactNode) => {
    const link = layoutSelection ? undefined : linkTo(item.link)
    const linkClass =
      'block truncate text-left font-medium after:absolute after:inset-0 after:rounded-lg rtl:text-right'
    return (
      <div
        onPointerEnter={() => onHover?.(item)}
        onClick={layoutSelection && toggleOnClick({ item, layoutSelection })}
        className={cx(
          'group relative flex h-full min-w-0 overflow-hidden rounded-lg border bg-surface transition-colors hover:border-edge has-[a:focus-visible]:border-focus',
          small ? 'items-center gap-3 p-2' : 'flex-col',
          layoutSelection && 'cursor-pointer select-none',
          layoutSelection?.selected.has(item.id) && 'border-accent outline outline-accent',
        )}
      >
        {layoutSelection && (
          <div className={small ? 'flex' : 'absolute start-1.5 top-1.5 z-10 flex rounded-md border bg-surface'}>
            <SelectBox item={item} layoutSelection={layoutSelection} />
          </div>
        )}
        {handle && <div className={small ? 'relative z-10 -mx-1.5' : handleClass}>{handle}</div>}
        <ItemImage image={item.image} defaultIcon={defaultIcon} large={!small} />
        <div className={cx('flex min-w-0 flex-1 items-center gap-2', !small && 'border-t ps-3 pe-1')}>
          <div className="min-w-0 flex-1 py-2">
            {link ? (
              cloneElement(link, { dir: 'auto', className: linkClass, children: item.text })
            ) : (
              <span dir="auto" className="block truncate text-left rtl:text-right">
                {item.text}
              </span>
            )}
            {item.info && (
              <p className="truncate text-sm text-muted">
                <bdi>{item.info}</bdi>
              </p>
            )}
          </div>
          {after && <div className="relative z-10 flex shrink-0 items-center">{after(item)}</div>}
        </div>
      </div>
    )
  }
  return (
    <Sortable
      {...sorting}
      items={items}
      label={label}
      layout="tiles"
      className={cx(
        'grid gap-3 p-3',
        small ? 'max-sm:grid-cols-1' : 'max-sm:grid-cols-2',
        widths[small && size === 'auto' ? 'medium' : size] ?? widths['auto'],
      )}
    >
      {(item, { handle }) => card(item, handle)}
    </Sortable>
  )
}

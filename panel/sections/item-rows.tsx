import type { ReactNode } from 'react'
import type { Icon } from '../ui/icon.ts'
import { ListItem } from '../ui/list-item.tsx'
import { Sortable } from '../ui/sortable.tsx'
import type { Item, Sorting } from './item.ts'
import { ItemImage } from './item-image.tsx'
import { linkTo } from './link.tsx'
import { SelectBox, type LayoutSelection, toggleOnClick } from './select-box.tsx'

interface Props<Row extends Item> {
  items: readonly Row[]
  label: string
  defaultIcon?: Icon | undefined
  sorting: Sorting<Row>
  selecting?: LayoutSelection<Row> | undefined
  after?: ((item: Row) => ReactNode) | undefined
  onHover?: ((item: Row) => void) | undefined
}

export function ItemRows<Row extends Item>({
  items,
  label,
  defaultIcon,
  sorting,
  selecting,
  after,
  onHover,
}: Props<Row>) {
  return (
    <Sortable {...sorting} items={items} label={label} className="divide-y">
      {(item, { handle }) => (
        <div
          onPointerEnter={() => onHover?.(item)}
          onFocus={() => onHover?.(item)}
          onClick={selecting && toggleOnClick({ item, selecting })}
          className={selecting && 'cursor-pointer select-none hover:bg-hover'}
        >
          <ListItem
            title={item.text}
            info={item.info || undefined}
            before={
              selecting ? (
                <SelectBox item={item} selecting={selecting} />
              ) : (
                (handle ?? (!sorting.disabled && <span className="w-6" />))
              )
            }
            selected={selecting?.selected.has(item.id)}
            image={<ItemImage image={item.image} defaultIcon={defaultIcon} />}
            render={selecting ? undefined : linkTo(item.link)}
            after={after?.(item)}
          />
        </div>
      )}
    </Sortable>
  )
}

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
  layoutSelection?: LayoutSelection<Row> | undefined
  after?: ((item: Row) => ReactNode) | undefined
  onHover?: ((item: Row) => void) | undefined
}

export function ItemRows<Row extends Item>({
  items,
  label,
  defaultIcon,
  sorting,
  layoutSelection,
  after,
  onHover,
}: Props<Row>) {
  return (
    <Sortable {...sorting} items={items} label={label} className="divide-y">
      {(item, { handle }) => (
        <div
          onPointerEnter={() => onHover?.(item)}
          onFocus={() => onHover?.(item)}
          onClick={layoutSelection && toggleOnClick({ item, layoutSelection })}
          className={layoutSelection && 'cursor-pointer select-none hover:bg-hover'}
        >
          <ListItem
            title={item.text}
            info={item.info || undefined}
            before={
              layoutSelection ? (
                <SelectBox item={item} layoutSelection={layoutSelection} />
              ) : (
                (handle ?? (!sorting.disabled && <span className="w-6" />))
              )
            }
            selected={layoutSelection?.selected.has(item.id)}
            image={<ItemImage image={item.image} defaultIcon={defaultIcon} />}
            render={layoutSelection ? undefined : linkTo(item.link)}
            after={after?.(item)}
          />
        </div>
      )}
    </Sortable>
  )
}

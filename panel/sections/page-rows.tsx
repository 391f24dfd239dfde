import type { ReactNode } from 'react'
import type { Status } from '../pages/page.ts'
import { ListItem } from '../ui/list-item.tsx'
import { Sortable } from '../ui/sortable.tsx'
import type { Item } from './item.ts'
import { ItemImage } from './item-image.tsx'
import { linkTo } from './link.tsx'

export interface PageItem extends Item {
  status: Status
  template: string
  permissions: Record<'sort' | 'changeSlug' | 'changeStatus' | 'changeTitle', boolean>
}

interface Props {
  items: readonly PageItem[]
  label: string
  sortable: boolean
  after: (item: PageItem) => ReactNode
  onNear: (item: PageItem) => void
  onSort: (items: PageItem[], id: string, neighbour: string) => void
}

/** Those that have a place are moved among each other; the others follow them. */
export function PageRows({ items, label, sortable, after, onNear, onSort }: Props) {
  const count = items.findIndex(({ permissions }) => !permissions.sort)
  const placed = sortable ? items.slice(0, count < 0 ? items.length : count) : []
  const others = items.slice(placed.length)
  const row = (item: PageItem, handle?: ReactNode) => (
    <div onPointerEnter={() => onNear(item)} onFocus={() => onNear(item)}>
      <ListItem
        title={item.text}
        info={item.info || undefined}
        before={handle}
        image={<ItemImage image={item.image} />}
        render={linkTo(item.link)}
        after={after(item)}
      />
    </div>
  )

  function moved(next: PageItem[]) {
    const to = next.findIndex((item, index) => item !== placed[index])
    const from = next.findLastIndex((item, index) => item !== placed[index])
    if (to < 0) return
    // Either one went down to the end of what changed, or one went up to its beginning.
    const down = placed[to] === next[from]
    const [item, neighbour] = down ? [next[from]!, placed[from]!] : [next[to]!, placed[to]!]
    onSort([...next, ...others], item.id, neighbour.id)
  }

  return (
    <>
      {placed.length > 0 && (
        <Sortable
          label={label}
          items={placed}
          keyOf={({ id }) => id}
          nameOf={({ text }) => text}
          disabled={placed.length < 2}
          onChange={moved}
          className="divide-y"
        >
          {(item, { handle }) => row(item, handle)}
        </Sortable>
      )}
      {others.length > 0 && (
        <ul
          aria-label={placed.length > 0 ? undefined : label}
          className={placed.length > 0 ? 'divide-y border-t' : 'divide-y'}
        >
          {others.map(item => (
            <li key={item.id}>{row(item)}</li>
          ))}
        </ul>
      )}
    </>
  )
}

import type { Pagination, ShownSection } from '../editor/content-resource.ts'
import type { Status } from '../pages/page.ts'
import type { PageState } from '../pages/state-marks.tsx'
import type { SortingProps } from '../ui/sorting.tsx'

/** The image of an item in lists: an icon or a picture. */
export interface ItemImage {
  icon?: string
  cover?: boolean
  ratio?: string
  url?: string
  srcset?: string
}

export interface Item {
  id: string
  text: string
  info: string
  link: string
  image: ItemImage | null
  [column: string]: unknown
}

/** A page in a list. */
export interface PageItem extends Item {
  status: Status
  state: PageState
  template: string
  permissions: Record<'sort' | 'changeSlug' | 'changeStatus' | 'changeTitle', boolean>
}

export interface TableColumn {
  label: string
  type: string
  mobile?: boolean
  width?: string
  align?: string
}

export interface ListOptions {
  headline: string
  help: string | null
  empty: string | null
  layout: 'list' | 'cards' | 'cardlets' | 'table'
  size: string
  search: boolean
  sortable: boolean
  min: number | null
  max: number | null
  link: string | null
  columns: Readonly<Record<string, TableColumn>>
}

/** A section with a list of items. */
export interface ListSection<Row extends Item = Item, Options = object> extends ShownSection {
  data: Row[]
  errors: Readonly<Record<string, { label: string; message: Record<string, string> }>>
  options: ListOptions & Options
  pagination: Pagination
}

/** How the order of the items is changed. */
export type Sorting<Row extends Item> = Pick<SortingProps<Row>, 'keyOf' | 'nameOf' | 'count' | 'disabled' | 'onChange'>

/** A custom column may be named `text` or `link` and override these properties; the API then sends `title`. */
export const titleOf = ({ title, text, link }: Item) =>
  (title as { text: string; href: string } | undefined) ?? { text, href: link }

/** The selected items, by id. Undefined where nothing can be selected. */
export interface Selection<Row extends Item> {
  selected: ReadonlySet<string>
  /** Selects or deselects items: one, or all of them. */
  set: (items: readonly Row[], isSelected: boolean) => void
  /** Toggles an item. With `isRange`, all items from the last toggled one become like it. */
  toggle: (item: Row, isRange: boolean) => void
}

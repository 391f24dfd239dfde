import type { Pagination, ShownSection } from '../editor/content-resource.ts'
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

import type { SectionOf } from '../editor/content-resource.ts'
import type { SortingProps } from '../ui/sorting.tsx'

/** A section with a list of items. */
export type ListSection = SectionOf<'files' | 'pages'>

/** A page in a list. */
export type PageItem = SectionOf<'pages'>['data'][number]
/** A file in a list. */
export type FileItem = SectionOf<'files'>['data'][number]

/** What items of all lists have. In tables, they also have the cells of their columns. */
export type Item = Pick<PageItem & FileItem, 'id' | 'image' | 'info' | 'link' | 'text' | 'title'>
/** What lists show before an item: a thumbnail or an icon. */
export type ItemImage = NonNullable<Item['image']>

export type ListOptions = ListSection['options']
export type ItemColumn = ListOptions['columns'][string]

/** How the order of the items is changed. */
export type Sorting<Row extends Item> = Pick<SortingProps<Row>, 'keyOf' | 'nameOf' | 'count' | 'disabled' | 'onChange'>

/** A custom column may be named `text` or `link` and override these properties; the API then sends `title`. */
export const itemTitle = ({ title, text, link }: Item) => title ?? { text, href: link }

/** The selected items, by id. Undefined where nothing can be selected. */
export interface ItemSelection<Row extends Item> {
  selected: ReadonlySet<string>
  /** Selects or deselects items: one, or all of them. */
  set: (items: readonly Row[], isSelected: boolean) => void
  /** Toggles an item. With `isRange`, all items from the last toggled one become like it. */
  toggle: (item: Row, isRange: boolean) => void
}

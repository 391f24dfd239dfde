import type { MouseEvent } from 'react'
import { Checkbox } from '../ui/checkbox.tsx'
import { fillText, useUiTexts } from '../ui/texts.ts'
import type { Item } from './item.ts'

/** How the layouts show and change what is selected. */
export interface LayoutSelection<Row extends Item> {
  selected: ReadonlySet<string>
  toggle: (item: Row) => void
  /** Called with all ids that are selected afterwards. */
  change: (selected: ReadonlySet<string>) => void
}

interface Props<Row extends Item> {
  item: Row
  layoutSelection: LayoutSelection<Row>
}

export function SelectBox<Row extends Item>({ item, layoutSelection: { selected, toggle } }: Props<Row>) {
  const texts = useUiTexts()
  return (
    <Checkbox
      aria-label={fillText(texts.selectRow, { name: item.text })}
      value={selected.has(item.id)}
      onChange={() => toggle(item)}
    />
  )
}

/** A click anywhere on a row or card toggles it. The checkbox is for keyboards and screen readers. */
export const toggleOnClick =
  <Row extends Item>({ item, layoutSelection }: Props<Row>) =>
  ({ target }: MouseEvent) => {
    if (!(target as Element).closest('label')) layoutSelection.toggle(item)
  }

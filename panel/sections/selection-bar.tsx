import { X } from 'lucide-react'
import { t } from '../texts/texts.ts'
import { Checkbox } from '../ui/checkbox.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { useUiTexts } from '../ui/texts.ts'
import { Button } from '../ui/button.tsx'
import type { Icon } from '../ui/icon.ts'
import type { Item } from './item.ts'
import type { ListSelection } from './use-selection.ts'

interface Props<Row extends Item, Action extends string> {
  label: string
  selection: ListSelection<Row>
  shownItems: readonly Row[]
  actions: readonly { action: Action; text: string; icon: Icon }[]
  onAction: (action: Action) => void
}

/** How many items are selected, and what can be done with them. */
export function SelectionBar<Row extends Item, Action extends string>({
  label,
  selection,
  shownItems,
  actions,
  onAction,
}: Props<Row, Action>) {
  const texts = useUiTexts()
  const { selected } = selection
  const count = selected.size
  const isAll = shownItems.every(({ id }) => selected.has(id))
  const isSome = shownItems.some(({ id }) => selected.has(id))
  return (
    <div
      role="group"
      aria-label={label}
      className="sticky top-12 z-20 flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-accent-soft py-1.5 ps-3 pe-2"
    >
      <Checkbox
        aria-label={texts.selectAll}
        value={isAll}
        indeterminate={isSome && !isAll}
        onChange={value => selection.set(shownItems, value)}
      />
      <span role="status" className="font-medium tabular-nums">
        {t('bulk.selected', { count })}
      </span>
      <div className="ms-auto flex flex-wrap items-center gap-1 max-sm:order-last max-sm:-ms-2 max-sm:w-full">
        {actions.map(({ action, text, icon }) => (
          <Button
            key={action}
            size="small"
            variant="plain"
            icon={icon}
            disabled={count === 0}
            onClick={() => onAction(action)}
          >
            {text}
          </Button>
        ))}
      </div>
      <IconButton size="small" icon={X} label={t('bulk.end')} onClick={selection.end} className="max-sm:ms-auto" />
    </div>
  )
}

import {
  ArrowDown,
  ArrowUp,
  Copy,
  Ellipsis,
  Eye,
  EyeOff,
  MessagesSquare,
  Plus,
  Settings2,
  SquareDashed,
  Trash2,
} from 'lucide-react'
import { type KeyboardEvent, memo, use } from 'react'
import { t } from '../../texts/texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { cx } from '../../ui/cx.ts'
import type { MenuItem } from '../../ui/menu.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { NestedError } from '../field-errors.ts'
import { ErrorTexts } from '../error-mark.tsx'
import { FieldMarksContext } from '../form-contexts.ts'
import type { BlockValue, Fieldset, Fieldsets } from './block-value.ts'
import { blockTypeItems, iconFor } from './choices.ts'
import type { TextCaret, BlockActions, SelectionActions } from './block-actions.ts'
import { BlockContent } from './block-content.tsx'
import { LateMenu } from './late-menu.tsx'
import { turnsFor } from './turn-into.ts'

interface Props {
  block: BlockValue
  fieldset: Fieldset | undefined
  fieldsets: Fieldsets
  active: TextCaret | undefined
  isSelected: boolean
  actions: BlockActions
  selection: SelectionActions
  disabled: boolean
  full: boolean
  /** Errors of its fields. */
  nestedErrors: readonly NestedError[] | undefined
}

/** A block with its actions. Renders again only when it changes itself. */
export const Block = memo(function Block(props: Props) {
  const { block, fieldset, fieldsets, active, isSelected, actions, selection, disabled, full, nestedErrors } = props
  const name = fieldset?.name ?? block.type
  const marks = use(FieldMarksContext)
  const followingType = fieldsets.has('text') && !full ? 'text' : undefined

  function pressed(event: KeyboardEvent) {
    const { key, altKey, shiftKey } = event
    const mod = event.metaKey || event.ctrlKey
    if (disabled) return
    if (altKey && shiftKey && key === 'ArrowUp') actions.move(block.id, -1)
    else if (altKey && shiftKey && key === 'ArrowDown') actions.move(block.id, 1)
    else if (mod && key === 'Enter' && followingType) actions.insert(followingType, block.id)
    else if (mod && shiftKey && key.toLowerCase() === 'd' && !full) actions.duplicate(block.id)
    else if (mod && shiftKey && key === 'Backspace') actions.remove(block.id)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  const items = (): readonly (MenuItem | false)[] => [
    fieldset !== undefined &&
      Object.keys(fieldset.fields).length > 0 && {
        text: t('fields.blocks.settings'),
        icon: Settings2,
        onSelect: () => actions.edit(block.id),
      },
    !full && { text: t('fields.blocks.duplicate'), icon: Copy, onSelect: () => actions.duplicate(block.id) },
    { text: t('fields.blocks.select'), icon: SquareDashed, onSelect: () => selection.select(block.id) },
    ...turnsFor([block], fieldsets).map(set => ({
      text: t('fields.blocks.turnInto', { name: set.name }),
      icon: iconFor(set),
      onSelect: () => actions.turnInto(block.id, set.type),
    })),
    {
      text: t(block.isHidden ? 'fields.blocks.show' : 'fields.blocks.hide'),
      icon: block.isHidden ? Eye : EyeOff,
      onSelect: () => actions.hide(block.id, !block.isHidden),
    },
    marks !== undefined && {
      text: marks.comment.text,
      icon: MessagesSquare,
      onSelect: () => marks.comment.onSelect(block.id),
    },
    { text: t('fields.blocks.up'), icon: ArrowUp, onSelect: () => actions.move(block.id, -1) },
    { text: t('fields.blocks.down'), icon: ArrowDown, onSelect: () => actions.move(block.id, 1) },
    'line',
    { text: t('fields.blocks.delete'), icon: Trash2, danger: true, onSelect: () => actions.remove(block.id) },
    ...(full ? [] : ['line' as const, { heading: t('fields.blocks.addBelow') }]),
    ...(full ? [] : blockTypeItems(fieldsets, type => actions.insert(type, block.id))),
  ]

  return (
    <div
      data-block={block.id}
      data-has-error={nestedErrors ? '' : undefined}
      data-selected={isSelected ? '' : undefined}
      className={cx(
        'group/block flex items-start gap-1 rounded-md py-1.5 ps-1 pe-1',
        isSelected ? 'bg-accent-soft' : active ? 'bg-hover' : 'hover:bg-hover has-focus-visible:bg-hover',
      )}
      onKeyDown={pressed}
    >
      <div className={cx('min-w-0 flex-1', block.isHidden && 'opacity-70')}>
        {fieldset ? (
          <BlockContent
            block={block}
            fieldset={fieldset}
            active={active}
            actions={actions}
            selection={selection}
            disabled={disabled}
            slash={full ? undefined : fieldsets}
          />
        ) : (
          <Notice tone="warn">{t('fields.blocks.unknown', { type: block.type })}</Notice>
        )}
        {nestedErrors && <ErrorTexts nestedErrors={nestedErrors} />}
      </div>
      {block.isHidden && <Badge icon={EyeOff}>{t('fields.blocks.hidden')}</Badge>}
      {marks?.mark(block.id, name)}
      {!disabled && (
        <div className="flex shrink-0 *:not-group-hover/block:not-group-focus-within/block:pointer-fine:text-transparent">
          {!full && (
            <LateMenu
              // Not in the tab order: keyboard users find the same actions in the other menu.
              tabIndex={-1}
              className="max-sm:hidden"
              label={t('fields.blocks.addTo', { name })}
              icon={Plus}
              items={() => blockTypeItems(fieldsets, type => actions.insert(type, block.id))}
            />
          )}
          <LateMenu label={t('fields.blocks.options', { name })} icon={Ellipsis} items={items} />
        </div>
      )}
    </div>
  )
})

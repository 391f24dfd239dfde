import { memo } from 'react'
import { t } from '../../texts/texts.ts'
import { cx } from '../../ui/cx.ts'
import { Html } from '../html.tsx'
import type { EditorFeatures } from '../rich/marks.ts'
import { type CaretPosition, type CaretRange, RichEditor, type TextChange } from '../rich/rich-editor.tsx'
import type { Cell } from './table-value.ts'

export interface ActiveCell extends Cell {
  position: CaretPosition
}

/** The object never changes, so that a row renders only when it changes itself. */
export interface CellActions {
  activate: (cell: ActiveCell) => void
  change: (cell: Cell, html: string, textChange: TextChange) => void
  caretMoved: (cell: Cell, range: CaretRange, isTyped: boolean) => void
  leave: (cell: Cell, to: 'before' | 'after', isVertical: boolean) => void
  enter: (cell: Cell) => void
  escape: () => void
  paste: (cell: Cell, data: DataTransfer) => boolean
}

interface Props {
  cells: readonly string[]
  row: number
  isHead: boolean
  /** Set if a cell of this row is being edited. */
  active: ActiveCell | undefined
  /** The cell that is in the tab order. */
  tabColumn: number | undefined
  offer: EditorFeatures
  disabled: boolean
  actions: CellActions
}

export const TableRow = memo(function TableRow(props: Props) {
  const { cells, row, isHead, active, tabColumn, offer, disabled, actions } = props

  return (
    <tr>
      {cells.map((html, column) => {
        const isActive = active?.column === column && !disabled
        const label = t('fields.table.cell', { row: row + 1, column: column + 1 })
        return (
          // No `th`: a header that is still empty is an error for screen readers. The name says the place of each cell.
          <td
            key={column}
            className={cx(
              'min-w-24 border border-line-strong p-0 text-start align-top',
              isHead ? 'bg-sunken font-semibold' : 'font-normal',
              isActive && 'outline-2 -outline-offset-1 outline-accent',
            )}
          >
            {isActive ? (
              <CellEditor cell={active} html={html} label={label} offer={offer} actions={actions} />
            ) : (
              <div
                role="textbox"
                aria-multiline="true"
                aria-label={label}
                aria-readonly={disabled || undefined}
                tabIndex={tabColumn === column ? 0 : -1}
                dir="auto"
                className={cx(frame, !disabled && 'cursor-text')}
                onPointerDown={event => {
                  // The editor replaces this element and would miss the event, so it gets the coordinates.
                  if (disabled || event.button !== 0) return
                  event.preventDefault()
                  actions.activate({ row, column, position: { x: event.clientX, y: event.clientY } })
                }}
                onFocus={disabled ? undefined : () => actions.activate({ row, column, position: 'end' })}
              >
                <p>
                  <Html value={html} passive />
                </p>
              </div>
            )}
          </td>
        )
      })}
    </tr>
  )
})

const frame = 'rich min-h-8 px-2 py-1 outline-none wrap-anywhere'

interface EditorProps extends Pick<Props, 'offer' | 'actions'> {
  cell: ActiveCell
  html: string
  label: string
}

function CellEditor({ cell, html, label, offer, actions }: EditorProps) {
  return (
    <RichEditor
      value={html}
      offer={offer}
      focus={cell.position}
      toolbar="floating"
      attributes={{ class: frame, 'aria-label': label }}
      onChange={(next, textChange) => actions.change(cell, next, textChange)}
      onCaret={(range, isTyped) => actions.caretMoved(cell, range, isTyped)}
      onLeave={(to, isVertical) => actions.leave(cell, to, isVertical)}
      onSplit={() => {
        actions.enter(cell)
        return true
      }}
      onEscape={actions.escape}
      onBlocks={data => actions.paste(cell, data)}
    />
  )
}

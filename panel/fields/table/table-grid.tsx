import { type KeyboardEvent, useLayoutEffect, useMemo, useRef } from 'react'
import { Plus } from 'lucide-react'
import { t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.ts'
import type { FieldDefinition } from '../field.ts'
import { featuresOf } from '../rich/marks.ts'
import type { CaretPosition, CaretRange, TextChange } from '../rich/rich-editor.tsx'
import { cellsIn } from './clipboard.ts'
import { TableMenu } from './table-menu.tsx'
import { type ActiveCell, type CellActions, TableRow } from './table-row.tsx'
import {
  type Cell,
  columnCount,
  createTable,
  maxColumns,
  maxRows,
  type TableValue,
  withCell,
  withCells,
  withRow,
} from './table-value.ts'

interface Props {
  table: TableValue
  /** Without `textChange`, the change is not a change of a text. */
  onChange: (table: TableValue, textChange?: TextChange) => void
  field: FieldDefinition
  /** The cell that is being edited. Only this one has an editor. */
  active: ActiveCell | undefined
  onActivate: (cell: ActiveCell | undefined) => void
  onCaret: (cell: Cell, range: CaretRange, isTyped: boolean) => void
  /** The caret moves out of the table. */
  onLeave?: ((to: 'before' | 'after') => void) | undefined
  onEscape: () => void
  label: string
  disabled: boolean
}

/** A table whose cells are edited in place. Tab and the arrow keys go from cell to cell. */
export function TableGrid(props: Props) {
  const { table, onChange, field, active, onActivate, label, disabled } = props
  const features = useMemo(() => featuresOf({ ...field, type: 'writer', inline: true }), [field])
  const container = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  useLayoutEffect(() => {
    latest.current = props
  })
  const actions = useMemo(() => createCellActions(() => latest.current), [])
  const columns = columnCount(table)

  function handleKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const isCell = (event.target as Element).closest('[role=textbox]') !== null
    const hasModifier = event.ctrlKey || event.altKey || event.metaKey
    if (!active || disabled || !isCell) return
    if (event.altKey && event.key === 'Enter')
      container.current?.querySelector<HTMLElement>(`[${menuAttribute}] button`)?.click() // prettier-ignore
    else if (event.key === 'Tab' && !hasModifier) {
      const next = active.row * columns + active.column + (event.shiftKey ? -1 : 1)
      // Before the first cell, and after the last one of a table that is full, the focus leaves the table.
      if (next < 0 || !goTo(props, { row: Math.floor(next / columns), column: next % columns })) return
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  function changeAndActivate(next: TableValue, cell: Cell) {
    onChange(next)
    const row = Math.max(0, Math.min(cell.row, next.rows.length - 1))
    const column = Math.max(0, Math.min(cell.column, columnCount(next) - 1))
    // The menu returns the focus to its button when it closes, and would take it from the cell.
    requestAnimationFrame(() => onActivate({ row, column, position: 'end' }))
  }

  if (table.rows.length === 0)
    return disabled ? (
      <p className="px-2 py-1 text-muted">{t('fields.table.empty')}</p>
    ) : (
      <Button
        size="small"
        variant="plain"
        icon={Plus}
        onClick={() => changeAndActivate(createTable(field['header'] !== false), { row: 0, column: 0 })}
      >
        {t('fields.table.create')}
      </Button>
    )

  const tabStop = active ?? { row: 0, column: 0 }
  return (
    <div ref={container} onKeyDownCapture={handleKeyDown}>
      <div className="overflow-x-auto p-0.5">
        <table aria-label={label} className="w-full border-collapse">
          <tbody>
            {table.rows.map((cells, row) => (
              <TableRow
                key={row}
                cells={cells}
                row={row}
                isHead={table.header && row === 0}
                active={active?.row === row ? active : undefined}
                tabColumn={tabStop.row === row ? tabStop.column : undefined}
                offer={features}
                disabled={disabled}
                actions={actions}
              />
            ))}
          </tbody>
        </table>
      </div>
      {!disabled && (
        <div {...{ [menuAttribute]: '' }}>
          <TableMenu table={table} active={active} label={label} onChange={changeAndActivate} />
        </div>
      )}
    </div>
  )
}

const menuAttribute = 'data-table-menu'

/** Goes to a cell; below the last row, a new one is added. Returns false if the table cannot have more rows. */
function goTo({ table, onChange, onActivate }: Props, { row, column }: Cell, position: CaretPosition = 'end'): boolean {
  if (row >= table.rows.length) {
    if (table.rows.length >= maxRows) return false
    onChange(withRow(table, row))
  }
  onActivate({ row, column, position })
  return true
}

function createCellActions(latest: () => Props): CellActions {
  return {
    activate: cell => latest().onActivate(cell),
    change: (cell, html, textChange) => latest().onChange(withCell(latest().table, cell, html), textChange),
    caretMoved: (cell, range, isTyped) => latest().onCaret(cell, range, isTyped),
    leave({ row, column }, to, isVertical) {
      const { table, onLeave } = latest()
      const [columns, step] = [columnCount(table), to === 'before' ? -1 : 1]
      const index = row * columns + column + step * (isVertical ? columns : 1)
      if (index < 0 || index >= columns * table.rows.length) onLeave?.(to)
      else goTo(latest(), { row: Math.floor(index / columns), column: index % columns }, to === 'before' ? 'end' : 'start') // prettier-ignore
    },
    enter: ({ row, column }) => goTo(latest(), { row: row + 1, column }),
    escape: () => latest().onEscape(),
    paste(cell, data) {
      const cells = cellsIn(data)
      if (!cells) return false
      const { table, onChange, onActivate } = latest()
      const { table: next, isTruncated } = withCells(table, cell, cells)
      onChange(next, 'pasted')
      if (isTruncated) toast({ title: t('fields.table.cut', { rows: maxRows, columns: maxColumns }) })
      const row = Math.min(cell.row + cells.length, next.rows.length) - 1
      const column = Math.min(cell.column + Math.max(...cells.map(texts => texts.length)), columnCount(next)) - 1
      onActivate({ row, column, position: 'end' })
      return true
    },
  }
}

import { Columns3, Ellipsis, Plus, Rows3, TableProperties, Trash2 } from 'lucide-react'
import { t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import type { MenuItem } from '../../ui/menu.tsx'
import { LateMenu } from '../blocks/late-menu.tsx'
import {
  type Cell,
  columnCount,
  maxColumns,
  maxRows,
  type TableValue,
  withColumn,
  withoutColumn,
  withoutRow,
  withRow,
} from './table-value.ts'

interface Props {
  table: TableValue
  active: Cell | undefined
  label: string
  /** Changes the table and goes to a cell of it. */
  onChange: (table: TableValue, cell: Cell) => void
}

/** Rows, columns and the header. The menu is about the cell with the caret, or the last one. */
export function TableMenu({ table, active, label, onChange }: Props) {
  const [rows, columns] = [table.rows.length, columnCount(table)]
  const { row, column } = active ?? { row: rows - 1, column: columns - 1 }
  const [canAddRow, canAddColumn] = [rows < maxRows, columns < maxColumns]
  const item = (text: string, icon: typeof Rows3, next: () => TableValue, to: Cell = { row, column }) => ({
    text,
    icon,
    onSelect: () => onChange(next(), to),
  })

  const items = (): readonly (MenuItem | false)[] => [
    {
      ...item(t('fields.table.header'), TableProperties, () => ({ ...table, header: !table.header })),
      checked: table.header,
    },
    'line',
    canAddRow && item(t('fields.table.rowAbove'), Rows3, () => withRow(table, row)),
    canAddRow && item(t('fields.table.rowBelow'), Rows3, () => withRow(table, row + 1), { row: row + 1, column }),
    canAddColumn && item(t('fields.table.columnBefore'), Columns3, () => withColumn(table, column)),
    canAddColumn &&
      item(t('fields.table.columnAfter'), Columns3, () => withColumn(table, column + 1), { row, column: column + 1 }),
    'line',
    rows > 1 && { ...item(t('fields.table.deleteRow'), Trash2, () => withoutRow(table, row)), danger: true },
    columns > 1 && {
      ...item(t('fields.table.deleteColumn'), Trash2, () => withoutColumn(table, column)),
      danger: true,
    },
  ]

  return (
    <div className="flex flex-wrap items-center gap-1 pt-1">
      <LateMenu align="start" label={t('fields.table.options', { name: label })} icon={Ellipsis} items={items} />
      {canAddRow && (
        <Button
          size="small"
          variant="plain"
          icon={Plus}
          onClick={() => onChange(withRow(table, rows), { row: rows, column: 0 })}
        >
          {t('fields.table.addRow')}
        </Button>
      )}
      {canAddColumn && (
        <Button
          size="small"
          variant="plain"
          icon={Plus}
          onClick={() => onChange(withColumn(table, columns), { row: 0, column: columns })}
        >
          {t('fields.table.addColumn')}
        </Button>
      )}
    </div>
  )
}

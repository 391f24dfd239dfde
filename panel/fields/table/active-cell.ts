import type { TextCaret } from '../blocks/block-actions.ts'
import type { ActiveCell } from './table-row.tsx'
import type { Cell } from './table-value.ts'

/** The name of a cell, where texts of a block are told apart by the names of their fields. */
export const partFor = ({ row, column }: Cell): string => `table ${row} ${column}`

/** The cell that is being edited; undefined if it is another text. */
export function cellIn(active: TextCaret | undefined): ActiveCell | undefined {
  const [, row, column] = /^table (\d+) (\d+)$/.exec(active?.part ?? '') ?? []
  return active && row !== undefined
    ? { row: Number(row), column: Number(column), position: active.position }
    : undefined
}

import { isMap, listIn, primitiveText } from '../field.ts'

export interface TableValue {
  /** Whether the first row is the header. */
  header: boolean
  /** The cells of each row, as inline HTML. All rows have the same length. */
  rows: readonly (readonly string[])[]
}

export interface Cell {
  row: number
  column: number
}

export const maxRows = 200
export const maxColumns = 50

const blank = (count: number) => Array<string>(count).fill('')

/** A table in a value of any type. Rows that are too short are filled up. */
export function tableIn(value: unknown): TableValue {
  const rows = isMap(value) ? listIn(value['rows']).map(row => listIn(row).map(primitiveText)) : []
  const columns = Math.max(0, ...rows.map(row => row.length))
  const filled = rows.map(row => (row.length === columns ? row : [...row, ...blank(columns - row.length)]))
  return { header: isMap(value) && value['header'] === true, rows: columns === 0 ? [] : filled }
}

export const columnCount = ({ rows }: TableValue): number => rows[0]?.length ?? 0

export const createTable = (header: boolean): TableValue => ({ header, rows: [blank(3), blank(3), blank(3)] })

export const withCell = (table: TableValue, { row, column }: Cell, html: string): TableValue => ({
  ...table,
  rows: table.rows.map((cells, index) => (index === row ? cells.with(column, html) : cells)),
})

export const withRow = (table: TableValue, index: number): TableValue => ({
  ...table,
  rows: table.rows.toSpliced(index, 0, blank(columnCount(table))),
})

export const withColumn = (table: TableValue, index: number): TableValue => ({
  ...table,
  rows: table.rows.map(cells => cells.toSpliced(index, 0, '')),
})

export const withoutRow = (table: TableValue, index: number): TableValue => ({
  ...table,
  rows: table.rows.toSpliced(index, 1),
})

export const withoutColumn = (table: TableValue, index: number): TableValue => ({
  ...table,
  rows: table.rows.map(cells => cells.toSpliced(index, 1)),
})

/** Cells from a clipboard, put into the table from a cell on. The table grows up to its maximum size. `isTruncated` if that drops cells. */
export function withCells(table: TableValue, from: Cell, cells: readonly (readonly string[])[]) {
  const height = Math.min(maxRows, Math.max(table.rows.length, from.row + cells.length))
  const width = Math.min(
    maxColumns,
    Math.max(columnCount(table), from.column + Math.max(...cells.map(row => row.length))),
  )
  const rows = Array.from({ length: height }, (_, row) =>
    Array.from(
      { length: width },
      (__, column) => cells[row - from.row]?.[column - from.column] ?? table.rows[row]?.[column] ?? '',
    ),
  )
  const isTruncated = from.row + cells.length > height || cells.some(row => from.column + row.length > width)
  return { table: { ...table, rows }, isTruncated }
}
